// SPDX-License-Identifier: Apache-2.0

package results

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/cluster"
	"windtunnel.dev/windtunnel/cmd/windtunnel/input"
	"windtunnel.dev/windtunnel/cmd/windtunnel/run"
	"windtunnel.dev/windtunnel/pkg/archive"
	"windtunnel.dev/windtunnel/pkg/insight"
	"windtunnel.dev/windtunnel/pkg/kube"
	"windtunnel.dev/windtunnel/pkg/kubectl"
	"windtunnel.dev/windtunnel/pkg/report/page"
)

// reportOptions are the flags of report.
type reportOptions struct {
	cluster cluster.Options
	name    string
	Output  cli.Format
	// most is the greatest number of characters; 0 is no limit.
	most      int
	reflected run.ReflectOptions
}

// NewReportCommand is the verb report.
func NewReportCommand() *cobra.Command {
	o := reportOptions{Output: cli.HTML, cluster: cluster.Options{Instead: ", or name a file"}}
	cmd := &cobra.Command{
		Use:   "report FILE | NAME | TYPE/NAME",
		Short: "Write a report of a run or a sweep as one page, from a file or a cluster",
		Long: `Write the report of a PolicySweep: whether the best candidate may ship and why, what
would change, what is expected, all candidates, and what the figures rest on. The report of a
SimulationRun has its gates and targets, its figures, latencies and values over time, its
replicas, its cost, and the requests that fared worst. The page is one HTML file with charts,
which asks the network for nothing.

FILE is the output of run or sweep -o json. NAME is an object in the cluster of the
kubeconfig. If a sweep and a run have the same name, write policysweep/NAME or
simulationrun/NAME. The command simulates nothing.

A file has the figures and not the scenario, so its report has neither changed lines
nor assumptions. sweep --report FILE.html writes them. Charts over time need
spec.trace.series on a cluster; run --report FILE.html has them.

--reflect STRATEGY prints the summary of run --reflect from FILE, the output of
run --reflect -o json, as another strategy tells it.

The exit code is 0 for each report, whatever the verdict.`,
		Example: `  windtunnel report my-sweep -n experiments > report.html
  windtunnel report simulationrun/my-run > report.html
  windtunnel report my-sweep -o markdown
  windtunnel sweep -f sweep.yaml -o json > sweep.json; windtunnel report sweep.json > report.html`,
		Args: cli.Arguments(1, 1, "needs one file, or the name of one PolicySweep or SimulationRun"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.reflected.Strategy != "" {
				return o.reflect(cmd, args[0])
			}
			return o.run(cmd.Context(), args[0], cmd.OutOrStdout())
		},
	}
	f := cmd.Flags()
	cli.OutputFlag(f, &o.Output, []cli.Format{cli.HTML, cli.Markdown, cli.JSON}, "; json is the numbers of the page")
	f.IntVar(&o.most, "max-characters", 0, "with -o markdown, greatest length of the report: the longest sections are left out and named; 0 is no limit, and a comment on GitHub may have 65536")
	o.cluster.Register(cmd)
	cmd.ValidArgsFunction = o.cluster.CompleteObjects("", 1, true)
	f.StringVar(&o.reflected.Strategy, "reflect", "", "print the summary of what went wrong that is in the output of run --reflect -o json: "+cli.OneOf(insight.Strategies))
	f.IntVar(&o.reflected.MaxTokens, "max-tokens", insight.DefaultMaxTokens, "with --reflect, how long the summary is at most, in tokens of 4 characters; the least important lines go first")
	f.StringVar(&o.name, "name", "", "report on the object of this name, from a file with several")
	cli.Rules(cmd,
		cli.FlagRule{Flag: "reflect", Why: "prints one summary as text", Without: []string{"output", "max-characters", "name"}},
		cli.FlagRule{Flag: "max-tokens", Needs: []string{"reflect"}})
	return cmd
}

func (o *reportOptions) run(ctx context.Context, of string, stdout io.Writer) error {
	if err := o.reflected.Check(); err != nil {
		return err
	}
	if err := cli.CheckLimit("--max-characters", o.most, o.Output); err != nil {
		return err
	}
	p, err := o.read(ctx, of)
	if err != nil {
		return err
	}
	text, err := o.Output.Fitted(p, o.most)
	if err != nil {
		return err
	}
	_, err = io.WriteString(stdout, text)
	return err
}

// read returns the report of a file if there is one of that name, else that of an object.
func (o *reportOptions) read(ctx context.Context, of string) (page.Report, error) {
	file, err := o.isFile(of)
	switch {
	case err != nil:
		return nil, err
	case file:
		return o.readFile(of)
	}
	c, object, err := o.cluster.Object(ctx, of)
	if err != nil {
		return nil, err
	}
	return o.clusterReport(ctx, c.Client, object)
}

// isFile reports whether an argument is a file and not an object of a cluster, and refuses the flags
// of the other one. An object's name has no ending, as files have.
func (o *reportOptions) isFile(of string) (bool, error) {
	if _, err := os.Stat(of); err == nil {
		return true, o.cluster.Unused()
	}
	switch {
	case input.Address.MatchString(of):
		return false, input.FileError(of, os.ErrNotExist)
	case strings.Contains(of, "."):
		return false, cli.BadInput(fmt.Errorf("there is no file %s", of))
	case o.name != "":
		return false, cli.BadInput(fmt.Errorf("--name selects an object of a file, and there is no file %s", of))
	}
	return false, nil
}

// clusterReport is the report of an object on a cluster.
func (o *reportOptions) clusterReport(ctx context.Context, c *kube.Client, of kubectl.Object) (page.Report, error) {
	if of.Sweep != nil {
		return o.clusterSweep(ctx, c, of.Sweep)
	}
	return clusterRun(ctx, c, of.Run)
}

// clusterSweep is the report of a sweep on a cluster: its rows take the place of simulations.
func (o *reportOptions) clusterSweep(ctx context.Context, c *kube.Client, sweep *v1alpha1.PolicySweep) (*page.Sweep, error) {
	label := fmt.Sprintf("PolicySweep %s/%s", sweep.Namespace, sweep.Name)
	compiled, st, err := cluster.Study(ctx, c, sweep)
	if err != nil {
		return nil, err
	}
	r, err := cli.ReportOf(st, label, o.Output)
	if err != nil {
		return nil, cli.BadInput(fmt.Errorf("%s: %w", label, err))
	}
	return &page.Sweep{Report: r, Facts: archive.PlanFacts(compiled.Plan), WithoutSeries: archive.WithoutSeries}, nil
}

// readFile reads the output of run or sweep -o json.
func (o *reportOptions) readFile(name string) (page.Report, error) {
	raw, err := input.Read(name)
	if err != nil {
		return nil, err
	}
	objects, err := archive.ReadPrinted(raw)
	if err != nil {
		if other := input.Unfit(name, raw, "a report is of the output of run or sweep -o json"); other != nil {
			return nil, other
		}
		return nil, cli.BadInput(fmt.Errorf("%s is not the output of run or sweep -o json", name))
	}
	p, err := o.choose(objects)
	if err != nil {
		return nil, cli.BadInput(fmt.Errorf("%s: %w", name, err))
	}
	var r page.Report
	if p.Kind == v1alpha1.SimulationRunKind {
		r, err = p.RunReport()
	} else {
		r, err = p.Report()
	}
	if err != nil {
		return nil, cli.BadInput(fmt.Errorf("%s: %w", name, err))
	}
	return r, nil
}

// choose returns the object that --name names, or the only one.
func (o *reportOptions) choose(objects []archive.Printed) (*archive.Printed, error) {
	if o.name == "" && len(objects) > 1 {
		return nil, fmt.Errorf("the file has %d objects: select one with --name", len(objects))
	}
	at := slices.IndexFunc(objects, func(p archive.Printed) bool { return o.name == "" || p.Metadata.Name == o.name })
	if at < 0 {
		return nil, fmt.Errorf("the file has no object %q", o.name)
	}
	return &objects[at], nil
}

// clusterRun is the report of a run on a cluster.
func clusterRun(ctx context.Context, c *kube.Client, run *v1alpha1.SimulationRun) (*page.Run, error) {
	stored, err := archive.Read(ctx, cluster.ConfigMaps(c), v1alpha1.SimulationRunKind, run, run.Status.Results)
	if err != nil {
		return nil, err
	}
	return archive.RunReport(run, stored)
}
