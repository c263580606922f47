// SPDX-License-Identifier: Apache-2.0

// Package results prints what was simulated, from files and clusters: the verbs results and report.
package results

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/cluster"
	"windtunnel.dev/windtunnel/pkg/experiment/store"
	"windtunnel.dev/windtunnel/pkg/report/dataframe"
	"windtunnel.dev/windtunnel/pkg/result"
)

// outputCSV is a table with commas.
const outputCSV cli.Format = "csv"

// outputParquet is a file of columns.
const outputParquet cli.Format = "parquet"

// resultsOptions are the flags of results.
type resultsOptions struct {
	cluster cluster.Options
	file    string
	// name is the object that rows must be of; "" is any.
	name   string
	output cli.Format
	// series names the file that time series are written to; "" is none.
	series         string
	where, columns []string
	sort           string
	limit          int
	descending     bool
}

// Set is rows, with what is known of their points.
type Set struct {
	Rows       []result.Row
	Parameters dataframe.Parameters
	measures   result.Measures
	// StepTimes say what the step times of pools rest on, where that is known.
	StepTimes []string
	// chunks have what results hold in addition to the rows.
	chunks []store.Chunk
}

// Objects are the names that rows have, in their order; none where the rows of one
// object have none.
func (s *Set) Objects() []string {
	var names []string
	for i := range s.Rows {
		if name := s.Rows[i].Object; name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// NewCommand is the verb results.
func NewCommand() *cobra.Command {
	o := resultsOptions{output: outputCSV, cluster: cluster.Options{Instead: ", or name a file with -f"}}
	cmd := &cobra.Command{
		Use:   "results [NAME | TYPE/NAME]",
		Short: "Print the result rows of a run or a sweep, from a file or a cluster",
		Long: `Print the result rows of a PolicySweep or a SimulationRun: one line for each point
and seed. The command reads them from the cluster of the kubeconfig and checks them
against the digests in the object's index. With -f it reads a file that
sweep -o json or sweep --state wrote. If a sweep and a run have the same name,
write policysweep/NAME or simulationrun/NAME.

The output for a file with several objects has a column with their names. --name
selects one object.

--where selects rows by a metric and a value in its unit; if you repeat it, rows
must meet all conditions. --sort sorts by a metric. --columns selects the metrics.

--series FILE also writes the time series and distributions of a SimulationRun with
spec.trace.series, as run --series does.`,
		Example: `  windtunnel results my-sweep -n experiments -o csv
  windtunnel results simulationrun/my-run -n experiments
  windtunnel results my-sweep --where 'ttft.p99<500ms' --sort ttft.p99 --columns ttft.p99,goodput
  windtunnel results -f sweep.state --sort goodput --descending --limit 10
  windtunnel results my-sweep -o parquet > rows.parquet`,
		Args: cluster.Args(cli.Arguments(0, 1, "takes the name of one PolicySweep or SimulationRun"), "results -f"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), args, cmd.OutOrStdout())
		},
	}
	o.cluster.Register(cmd)
	cmd.ValidArgsFunction = o.cluster.CompleteObjects("", 1, false)
	f := cmd.Flags()
	f.StringVarP(&o.file, "filename", "f", "", "file of sweep -o json or sweep --state to read, instead of a cluster")
	f.StringVar(&o.name, "name", "", "print only the rows of the object of this name, from a file with several")
	cli.OutputFlag(f, &o.output, []cli.Format{outputCSV, cli.JSON, outputParquet}, "")
	f.StringArrayVar(&o.where, "where", nil, "condition that rows must meet, such as 'ttft.p99<500ms'; may be repeated")
	f.StringVar(&o.sort, "sort", "", "metric to sort by, lowest first (default by point and seed)")
	f.BoolVar(&o.descending, "descending", false, "sort with the highest first")
	f.IntVar(&o.limit, "limit", 0, "greatest number of rows to print; 0 prints all")
	f.StringSliceVar(&o.columns, "columns", nil, "metrics to print, separated by commas (default all)")
	f.StringVar(&o.series, "series", "", "file to write the time series and distributions of a run with spec.trace.series to, as JSON")
	return cmd
}

func (o *resultsOptions) run(ctx context.Context, args []string, stdout io.Writer) error {
	switch {
	case (len(args) == 0) == (o.file == ""):
		return cli.BadInput(errors.New("exactly one source is required: the name of a PolicySweep or a SimulationRun, or -f FILE"))
	case o.series != "" && o.file != "":
		return cli.BadInput(errors.New("--series reads a cluster; on this machine use windtunnel run --series FILE"))
	case o.limit < 0:
		return cli.BadInput(errors.New("--limit must not be negative"))
	}
	if err := cli.CheckFolders(map[string]string{"--series": o.series}); err != nil {
		return err
	}
	set, err := o.read(ctx, args)
	if err != nil {
		return err
	}
	if err := o.chooseObject(set); err != nil {
		return err
	}
	query, errs := o.query(set.measures)
	if len(errs) > 0 {
		return cli.BadInput(errs.ToAggregate())
	}
	if o.series != "" {
		if err := set.WriteSeries(o.series); err != nil {
			return err
		}
	}
	stdout = cli.FileOutput(stdout)
	switch o.output {
	case cli.JSON:
		return query.WriteJSON(stdout, set.Rows, set.Parameters)
	case outputParquet:
		return query.WriteParquet(stdout, set.Rows, set.Parameters)
	default:
		return query.WriteCSV(stdout, set.Rows, set.Parameters)
	}
}

// chooseObject leaves the rows that --name asks for.
func (o *resultsOptions) chooseObject(set *Set) error {
	if o.name == "" {
		return nil
	}
	names := set.Objects()
	if len(names) == 0 {
		return cli.BadInput(errors.New("--name needs -f FILE with several objects"))
	}
	if !slices.Contains(names, o.name) {
		return cli.BadInput(field.NotSupported(field.NewPath("--name"), o.name, names))
	}
	set.Rows = slices.DeleteFunc(set.Rows, func(r result.Row) bool { return r.Object != o.name })
	return nil
}

func (o *resultsOptions) read(ctx context.Context, args []string) (*Set, error) {
	if o.file != "" {
		if err := o.cluster.Unused(); err != nil {
			return nil, err
		}
		return ReadFile(o.file)
	}
	c, object, err := o.cluster.Object(ctx, args[0])
	if err != nil {
		return nil, err
	}
	return ReadCluster(ctx, c.Client, object)
}

// query is what the flags ask for.
func (o *resultsOptions) query(measures result.Measures) (*dataframe.Query, field.ErrorList) {
	q := &dataframe.Query{Descending: o.descending, Limit: o.limit}
	var errs field.ErrorList
	for _, text := range o.where {
		filter, es := dataframe.ParseFilter(measures, text, field.NewPath("--where"))
		q.Filters, errs = append(q.Filters, filter), append(errs, es...)
	}
	for _, text := range o.columns {
		column, es := measures.Parse(strings.TrimSpace(text), field.NewPath("--columns"))
		q.Columns, errs = append(q.Columns, column), append(errs, es...)
	}
	if o.sort != "" {
		measure, es := measures.Parse(o.sort, field.NewPath("--sort"))
		q.Sort, errs = &measure, append(errs, es...)
	}
	return q, errs
}

// WriteSeries writes the series that the chunks have.
func (s *Set) WriteSeries(name string) error {
	series, err := store.ReadSeries(s.chunks)
	switch {
	case err != nil:
		return err
	case series == nil:
		return cli.BadInput(errors.New("--series: the results have no time series; only a SimulationRun with spec.trace.series keeps some"))
	}
	return cli.WriteSeries(name, series)
}
