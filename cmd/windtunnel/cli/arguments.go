// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"

	"github.com/spf13/cobra"
)

// NoArguments refuses arguments as bad input, and says with which flag a verb takes files.
func NoArguments(cmd *cobra.Command, args []string) error {
	if f := cmd.Flags().Lookup("filename"); len(args) > 0 && f != nil && !f.Hidden {
		return BadInput(fmt.Errorf("unexpected argument %q: files have the flag -f: %s -f %s", args[0], cmd.CommandPath(), ShellWord(args[0])))
	}
	if len(args) > 0 {
		return BadInput(fmt.Errorf("unexpected argument %q (see %s --help)", args[0], cmd.CommandPath()))
	}
	return nil
}

// Arguments requires least to most arguments. takes follows the name of the verb in the error.
func Arguments(least, most int, takes string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return BadInput(fmt.Errorf("%s %s (see %s --help)", cmd.Name(), takes, cmd.CommandPath()))
		}
		return nil
	}
}
