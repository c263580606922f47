// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/spelling"
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

For the completion of verbs, flags, values and names of objects in bash:

  source <(windtunnel completion bash)

Under the name kubectl-windtunnel the command is a plugin of kubectl.

Exit codes: 0 success, 1 failure, 2 invalid input (the message names the field),
3 not enough evidence for a gate.`,
		Version:       buildVersion(),
		Args:          cobra.ArbitraryArgs,
		RunE:          unknownVerb,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return badInputError{fmt.Errorf("%w%s (see %s --help)", err, nearFlag(cmd, err), cmd.CommandPath())}
	})
	root.AddCommand(
		newRunCommand(),
		newSweepCommand(),
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

// unknownVerb runs where no verb was recognised.
func unknownVerb(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cmd.Help()
	}
	return badInputError{fmt.Errorf("unknown verb %q%s (see %s --help)", args[0], nearVerb(cmd, args[0]), cmd.CommandPath())}
}

// nearVerb suggests a verb in place of one that is unknown.
func nearVerb(cmd *cobra.Command, written string) string {
	var names []string
	for _, verb := range cmd.Commands() {
		if verb.IsAvailableCommand() {
			names = append(names, verb.Name())
		}
	}
	return didYouMean(spelling.Nearest(written, names))
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
	return didYouMean(spelling.Nearest("--"+unknown.GetSpecifiedName(), names))
}

func didYouMean(near []string) string {
	if len(near) == 0 {
		return ""
	}
	return fmt.Sprintf(", did you mean %q?", near[0])
}

// argumentsFrom demands so many arguments. takes says what a verb takes, behind its name.
func argumentsFrom(least, most int, takes string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return badInputError{fmt.Errorf("%s %s (see %s --help)", cmd.Name(), takes, cmd.CommandPath())}
		}
		return nil
	}
}

// noArguments refuses arguments as bad input.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return badInputError{fmt.Errorf("unexpected argument %q (see %s --help)", args[0], cmd.CommandPath())}
	}
	return nil
}
