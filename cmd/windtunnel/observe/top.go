// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"time"

	"github.com/spf13/cobra"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/cluster"
	"windtunnel.dev/windtunnel/pkg/kubectl"
)

// topOptions are the flags of top.
type topOptions struct {
	cluster cluster.Options
	all     bool
	output  cli.Format
}

// NewTopCommand is the verb top.
func NewTopCommand() *cobra.Command {
	o := topOptions{output: cli.Table}
	cmd := &cobra.Command{
		Use:   "top",
		Short: "List the runs and sweeps of a cluster, most urgent first",
		Long: `List the SimulationRuns and PolicySweeps of a namespace, or of all: state, progress, verdict of the
gates, and the best candidate. First come those that failed, then those with a failed gate,
those that wait for a person, those without enough evidence, and those that work. Within each,
the newest is first. Below the table, the command says what is wrong with the first of them,
and which command tells more.`,
		Example: `  windtunnel top
  windtunnel top -A
  windtunnel top -n experiments -o json`,
		Args: cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	o.cluster.Register(cmd)
	cmd.Flags().BoolVarP(&o.all, "all-namespaces", "A", false, "list the objects of all namespaces")
	cli.OutputFlag(cmd.Flags(), &o.output, cli.DocumentFormats, "")
	cli.Rules(cmd, cli.FlagRule{Flag: "all-namespaces", Why: "selects every namespace", Without: []string{"namespace"}})
	return cmd
}

func (o *topOptions) run(cmd *cobra.Command) error {
	c, err := o.cluster.Connect()
	if err != nil {
		return err
	}
	namespace := c.Namespace
	if o.all {
		namespace = ""
	}
	objects, err := kubectl.List(cmd.Context(), c.Client, namespace)
	if err != nil {
		return err
	}
	rows := o.cluster.Caller(cmd).Top(objects)
	if o.output != cli.Table {
		return o.output.Write(cmd.OutOrStdout(), rows)
	}
	return kubectl.WriteTop(cmd.OutOrStdout(), rows, o.all, time.Now())
}
