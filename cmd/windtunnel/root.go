// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/spf13/cobra"

	"windtunnel.dev/windtunnel/cmd/windtunnel/calibrate"
	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/compare"
	"windtunnel.dev/windtunnel/cmd/windtunnel/evaluate"
	"windtunnel.dev/windtunnel/cmd/windtunnel/lint"
	"windtunnel.dev/windtunnel/cmd/windtunnel/observe"
	"windtunnel.dev/windtunnel/cmd/windtunnel/operator"
	"windtunnel.dev/windtunnel/cmd/windtunnel/results"
	"windtunnel.dev/windtunnel/cmd/windtunnel/run"
	"windtunnel.dev/windtunnel/cmd/windtunnel/start"
	"windtunnel.dev/windtunnel/cmd/windtunnel/sweep"
	"windtunnel.dev/windtunnel/cmd/windtunnel/trace"
	"windtunnel.dev/windtunnel/internal/printable"
)

func newRootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "windtunnel",
		Short: "A wind tunnel for LLM-serving policies",
		Long: `Windtunnel simulates a cluster that serves a language model, and compares
routing policies for your traffic before you roll them out.

The same manifest runs here and on a cluster, with the same figures:

  windtunnel sweep -f sweep.yaml
  kubectl apply -f sweep.yaml

For the completion of verbs, flags, values and names of objects in bash, which needs the
package bash-completion:

  source <(windtunnel completion bash)

Under the name kubectl-windtunnel the command is a plugin of kubectl.

Exit codes: 0 success, 1 failure, 2 invalid input (the message names the field),
3 not enough evidence for a gate.`,
		Version:       cli.Version(),
		Args:          cobra.ArbitraryArgs,
		RunE:          cli.UnknownVerb,
		SilenceUsage:  true,
		SilenceErrors: true,
		PersistentPreRun: func(cmd *cobra.Command, _ []string) {
			cmd.SetOut(printable.NewWriter(cmd.OutOrStdout()))
			cmd.SetErr(printable.NewWriter(cmd.ErrOrStderr()))
		},
	}
	root.SetFlagErrorFunc(cli.FlagError)
	root.AddCommand(
		run.NewCommand(),
		sweep.NewCommand(),
		sweep.NewSizeCommand(),
		compare.NewCommand(),
		evaluate.NewCommand(),
		evaluate.NewServeCommand(),
		results.NewCommand(),
		results.NewReportCommand(),
		observe.NewCommand(),
		observe.NewTopCommand(),
		observe.NewWatchCommand(),
		observe.NewExplainCommand(),
		sweep.NewPromoteCommand(),
		observe.NewLogsCommand(),
		start.NewInitCommand(),
		start.NewDoctorCommand(),
		observe.NewDashboardCommand(),
		trace.NewCommand(),
		start.NewImportCommand(),
		calibrate.NewCommand(),
		calibrate.NewCatalogueCommand(),
		lint.NewCommand(),
		operator.NewManagerCommand(),
		operator.NewWorkerCommand(),
		operator.NewProposeCommand(),
	)
	completeFlags(root)
	cli.RefuseUnknownTopics(root)
	return root
}
