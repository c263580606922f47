// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"

	"windtunnel.dev/windtunnel/pkg/simulator"
)

func newRootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "windtunnel",
		Short: "A wind tunnel for LLM-serving policies",
		Long: `Windtunnel simulates a cluster that serves a language model, and says before
the roll-out which routing policy serves your traffic best.

The same manifest runs here and on a cluster, with the same figures:

  windtunnel sweep -f sweep.yaml
  kubectl apply -f sweep.yaml

Exit codes: 0 done, 1 failed, 2 bad input (the message names the field), 3 not
enough evidence for a gate.`,
		Version:       buildVersion(),
		Args:          cobra.ArbitraryArgs,
		RunE:          unknownVerb,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return badInput{fmt.Errorf("%w (see %s --help)", err, cmd.CommandPath())}
	})
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(
		newRunCommand(),
		newSweepCommand(),
		newCompareCommand(),
		newResultsCommand(),
		newTraceCommand(),
		newCalibrateCommand(),
		newCatalogueCommand(),
		newLintCommand(),
		newManagerCommand(),
		newWorkerCommand(),
	)
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
	hint := ""
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		hint = fmt.Sprintf(", did you mean %q?", near[0])
	}
	return badInput{fmt.Errorf("unknown verb %q%s (see windtunnel --help)", args[0], hint)}
}

// noArguments refuses arguments as bad input.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return badInput{fmt.Errorf("unexpected argument %q (see %s --help)", args[0], cmd.CommandPath())}
	}
	return nil
}
