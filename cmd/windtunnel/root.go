// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/spf13/cobra"

	"windtunnel.dev/windtunnel/cmd/windtunnel/beside"
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
)

// groups are the verbs by task, in the order of the help text.
var groups = []struct {
	title string
	verbs []func() *cobra.Command
}{
	{"Start", []func() *cobra.Command{start.NewInitCommand, start.NewDoctorCommand, calibrate.NewCatalogueCommand}},
	{"Decide", []func() *cobra.Command{
		sweep.NewCommand, run.NewCommand, compare.NewCommand, sweep.NewSizeCommand, lint.NewCommand,
		sweep.NewPromoteCommand, evaluate.NewCommand, evaluate.NewServeCommand,
	}},
	{"Explain", []func() *cobra.Command{
		observe.NewExplainCommand, results.NewReportCommand, results.NewCommand, observe.NewDashboardCommand,
	}},
	{"Traffic and engines", []func() *cobra.Command{trace.NewCommand, start.NewImportCommand, calibrate.NewCommand}},
	{"Live", []func() *cobra.Command{beside.NewEngineCommand, beside.NewLoadCommand, beside.NewRehearseCommand}},
	{"Cluster", []func() *cobra.Command{
		observe.NewTopCommand, observe.NewWatchCommand, observe.NewLogsCommand, observe.NewCommand,
	}},
	{"Used by the operator", []func() *cobra.Command{
		beside.NewManagerCommand, operator.NewWorkerCommand, operator.NewProposeCommand,
	}},
}

func newRootCommand() *cobra.Command {
	cobra.EnableCommandSorting = false // init is the first verb
	var verbs []*cobra.Command
	var titles []*cobra.Group
	for _, g := range groups {
		titles = append(titles, &cobra.Group{ID: g.title, Title: g.title + ":"})
		for _, newCommand := range g.verbs {
			verb := newCommand()
			verb.GroupID = g.title
			verbs = append(verbs, verb)
		}
	}
	root := cli.NewRoot(verbs...)
	root.AddGroup(titles...)
	root.Short = "A wind tunnel for LLM-serving policies"
	root.Long = `Windtunnel simulates a cluster that serves a language model, and compares
routing policies for your traffic before you roll them out. To begin:

  windtunnel init --kind sweep -o sweep.yaml
  windtunnel sweep -f sweep.yaml

The same manifest runs on a cluster, with the same figures:

  kubectl apply -f sweep.yaml

Completion in bash needs the package bash-completion:

  source <(windtunnel completion bash)

Under the name kubectl-windtunnel, the command is a plugin of kubectl.

Exit codes: 0 success, 1 failure, 2 invalid input (the message names the field),
3 a gate is undecided.`
	return root
}
