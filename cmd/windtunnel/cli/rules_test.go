// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
)

// TestRulesOfFlags tries a rule of each kind; a flag set to what it is without is not given.
func TestRulesOfFlags(t *testing.T) {
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"none":                 {nil, ""},
		"one that excludes":    {[]string{"--explain", "3"}, ""},
		"an excluded flag":     {[]string{"--explain", "3", "--trace", "x"}, "--explain prints one decision: use it without --trace"},
		"two excluded flags":   {[]string{"--explain", "3", "--trace", "x", "-o", "json"}, "--explain prints one decision: use it without --trace and -o json"},
		"another value":        {[]string{"--explain", "3", "-o", "yaml"}, ""},
		"an empty one":         {[]string{"--explain", "3", "--trace", ""}, ""},
		"a switch turned off":  {[]string{"--deep=false"}, ""},
		"what it needs is not": {[]string{"--deep"}, "--deep needs --trace or --explain"},
		"what it needs is":     {[]string{"--deep", "--trace", "x"}, ""},
		"faults of two rules":  {[]string{"--deep", "-o", "json"}, "--deep needs --trace or --explain\n-o json is for programs: use it without --deep"},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := &cobra.Command{SilenceErrors: true, SilenceUsage: true, RunE: func(*cobra.Command, []string) error { return nil }}
			cmd.Flags().String("explain", "", "")
			cmd.Flags().String("trace", "", "")
			cmd.Flags().StringP("output", "o", "table", "")
			cmd.Flags().Bool("deep", false, "")
			Rules(cmd,
				FlagRule{Flag: "explain", Why: "prints one decision", Without: []string{"trace", "output=json"}},
				FlagRule{Flag: "deep", Needs: []string{"trace", "explain"}},
				FlagRule{Flag: "output=json", Why: "is for programs", Without: []string{"deep"}})
			cmd.SetArgs(tc.args)
			err, got := cmd.Execute(), ""
			if err != nil {
				got = err.Error()
			}
			if diff := cmp.Diff(tc.want, got); diff != "" || err != nil && !errors.As(err, new(BadInputError)) {
				t.Errorf("(−want +got):\n%s", diff)
			}
		})
	}
}
