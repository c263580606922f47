// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"windtunnel.dev/windtunnel/pkg/spelling"
)

// UnknownVerb runs where no verb was recognised.
func UnknownVerb(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cmd.Help()
	}
	return BadInput(fmt.Errorf("unknown verb %q%s (see %s --help)", args[0], nearVerb(cmd, args[0]), cmd.CommandPath()))
}

// refuseUnknownTopics has the verb help refuse the name of no verb.
func refuseUnknownTopics(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	for _, verb := range root.Commands() {
		if verb.Name() != "help" {
			continue
		}
		verb.Run = nil
		verb.RunE = func(_ *cobra.Command, words []string) error {
			topic, rest, err := root.Find(words)
			switch {
			case err != nil:
				return BadInput(err)
			case len(rest) > 0 && topic.HasSubCommands():
				return UnknownVerb(topic, rest)
			case len(rest) > 0:
				return BadInput(fmt.Errorf("unexpected argument %q: %s has no verbs of its own", rest[0], topic.CommandPath()))
			}
			topic.InitDefaultHelpFlag() // cobra adds both when a verb runs
			topic.InitDefaultVersionFlag()
			return topic.Help()
		}
	}
}

// nearVerb suggests a verb in place of one that is unknown.
func nearVerb(cmd *cobra.Command, written string) string {
	var names []string
	for _, verb := range cmd.Commands() {
		if verb.IsAvailableCommand() {
			names = append(names, verb.Name())
		}
	}
	return DidYouMean(spelling.Nearest(written, names))
}

// FlagError says what is wrong with a flag. Behind a verb that is unknown, the verb is what is wrong.
func FlagError(cmd *cobra.Command, err error) error {
	if words := cmd.Flags().Args(); cmd.HasSubCommands() && len(words) > 0 {
		return UnknownVerb(cmd, words)
	}
	return BadInput(fmt.Errorf("%w%s (see %s --help)", plainValue(err), nearFlag(cmd, err), cmd.CommandPath()))
}

// valueWords are what the values of flags must be, by the types of package pflag.
var valueWords = map[string]string{
	"bool": "true or false", "duration": "a duration such as 30s", "float64": "a number", "int": "a whole number", "int64": "a whole number",
}

// plainValue says what a flag may be in place of what a parser of Go says.
func plainValue(err error) error {
	var invalid *pflag.InvalidValueError
	if !errors.As(err, &invalid) {
		return err
	}
	f := invalid.GetFlag()
	words, known := valueWords[f.Value.Type()]
	if !known {
		return err
	}
	if f.Value.Type() == "float64" && f.DefValue != "0" {
		words += " such as " + f.DefValue
	}
	return fmt.Errorf("--%s %q: must be %s", f.Name, invalid.GetValue(), words)
}

// nearFlag suggests a flag in place of one that is unknown.
func nearFlag(cmd *cobra.Command, err error) string {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) || len(unknown.GetSpecifiedName()) < 2 {
		return ""
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, "--"+f.Name)
		}
	})
	return DidYouMean(spelling.Nearest("--"+unknown.GetSpecifiedName(), names))
}
