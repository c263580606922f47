// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A FlagRule says with which others a flag may be used. A flag is written NAME, or NAME=VALUE
// where the rule is about one of its values.
type FlagRule struct {
	Flag string
	// Why says what the flag does that the flags of Without do not go with.
	Why string
	// Without are the flags that exclude it; of the flags of Needs one is required.
	Without, Needs []string
}

// Rules has a verb refuse combinations of flags before it runs, all of them at once.
func Rules(cmd *cobra.Command, rules ...FlagRule) {
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		var faults []error
		for _, r := range rules {
			faults = append(faults, r.check(cmd.Flags()))
		}
		return BadInput(errors.Join(faults...))
	}
}

func (r *FlagRule) check(f *pflag.FlagSet) error {
	isGiven := func(flag string) bool { return given(f, flag) }
	if !isGiven(r.Flag) {
		return nil
	}
	var excluded []string
	for _, flag := range r.Without {
		if isGiven(flag) {
			excluded = append(excluded, asTyped(flag))
		}
	}
	if len(excluded) > 0 {
		return fmt.Errorf("%s %s: use it without %s", asTyped(r.Flag), r.Why, strings.Join(excluded, " and "))
	}
	if len(r.Needs) > 0 && !slices.ContainsFunc(r.Needs, isGiven) {
		var needed []string
		for _, flag := range r.Needs {
			needed = append(needed, asTyped(flag))
		}
		return fmt.Errorf("%s needs %s", asTyped(r.Flag), strings.Join(needed, " or "))
	}
	return nil
}

// given reports whether the user set a flag, to the value of NAME=VALUE or to any but an empty one.
func given(f *pflag.FlagSet, flag string) bool {
	name, want, hasValue := strings.Cut(flag, "=")
	set := f.Lookup(name)
	if set == nil {
		panic("windtunnel: a rule is about --" + name + ", which the verb does not have")
	}
	if hasValue {
		return set.Value.String() == want
	}
	value := set.Value.String()
	return set.Changed && value != "false" && value != "[]" && (value != "" || set.Value.Type() != "string")
}

// asTyped is a flag as users write it.
func asTyped(flag string) string {
	name, value, _ := strings.Cut(flag, "=")
	if name == "output" {
		name = "-o"
	} else {
		name = "--" + name
	}
	return strings.TrimSpace(name + " " + value)
}
