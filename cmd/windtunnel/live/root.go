// SPDX-License-Identifier: Apache-2.0

// Package live has the verbs that serve and send requests in real time. They are in no other program
// than windtunnel-live.
package live

import (
	"github.com/spf13/cobra"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
)

// NewRoot is the command with the live verbs.
func NewRoot() *cobra.Command {
	return cli.NewRoot(NewEngineCommand(), NewLoadCommand(), NewRehearseCommand(), NewPrepareCommand(), NewObjectsCommand(), NewLiveWorkerCommand())
}
