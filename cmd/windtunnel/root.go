// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"

	"windtunnel.dev/windtunnel/internal/printable"
	"windtunnel.dev/windtunnel/pkg/simulator"
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
		Version:       buildVersion(),
		Args:          cobra.ArbitraryArgs,
		RunE:          unknownVerb,
		SilenceUsage:  true,
		SilenceErrors: true,
		PersistentPreRun: func(cmd *cobra.Command, _ []string) {
			cmd.SetOut(printable.NewWriter(cmd.OutOrStdout()))
			cmd.SetErr(printable.NewWriter(cmd.ErrOrStderr()))
		},
	}
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(
		newRunCommand(),
		newSweepCommand(),
		newSizeCommand(),
		newCompareCommand(),
		newEvaluateCommand(),
		newServeCommand(),
		newResultsCommand(),
		newReportCommand(),
		newObserveCommand(),
		newTopCommand(),
		newWatchCommand(),
		newExplainCommand(),
		newPromoteCommand(),
		newLogsCommand(),
		newInitCommand(),
		newDoctorCommand(),
		newDashboardCommand(),
		newTraceCommand(),
		newImportCommand(),
		newCalibrateCommand(),
		newCatalogueCommand(),
		newLintCommand(),
		newManagerCommand(),
		newWorkerCommand(),
		newProposeCommand(),
	)
	completeFlags(root)
	refuseUnknownTopics(root)
	return root
}

// release is the version that make gives the linker. What go install builds knows
// its module's.
var release string

// buildVersion names the binary's version and the engine's. Only the engine's
// decides about results.
func buildVersion() string {
	version := cmp.Or(release, "unknown")
	if info, ok := debug.ReadBuildInfo(); release == "" && ok && info.Main.Version != "" {
		version = info.Main.Version
	}
	return fmt.Sprintf("%s (engine %s)", version, simulator.EngineVersion)
}

// argumentsFrom demands so many arguments. takes says what a verb takes, behind its name.
func argumentsFrom(least, most int, takes string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return badInput(fmt.Errorf("%s %s (see %s --help)", cmd.Name(), takes, cmd.CommandPath()))
		}
		return nil
	}
}
