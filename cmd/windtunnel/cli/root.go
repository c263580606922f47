// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"github.com/spf13/cobra"

	"windtunnel.dev/windtunnel/internal/printable"
)

// NewRoot is the command with its verbs. What it prints passes a filter of control characters.
func NewRoot(verbs ...*cobra.Command) *cobra.Command {
	root := &cobra.Command{
		Use:           "windtunnel",
		Version:       Version(),
		Args:          cobra.ArbitraryArgs,
		RunE:          UnknownVerb,
		SilenceUsage:  true,
		SilenceErrors: true,
		PersistentPreRun: func(cmd *cobra.Command, _ []string) {
			cmd.SetOut(printable.NewWriter(cmd.OutOrStdout()))
			cmd.SetErr(printable.NewWriter(cmd.ErrOrStderr()))
		},
	}
	root.SetFlagErrorFunc(FlagError)
	root.AddCommand(verbs...)
	completeFlags(root)
	refuseUnknownTopics(root)
	return root
}
