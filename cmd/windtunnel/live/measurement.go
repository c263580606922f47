// SPDX-License-Identifier: Apache-2.0

package live

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/local"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/live/load"
	"windtunnel.dev/windtunnel/pkg/live/picker"
	"windtunnel.dev/windtunnel/pkg/report/benchmark"
	"windtunnel.dev/windtunnel/pkg/report/dataframe"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// mostLate is by how much requests may be sent after their time before the load counts as another one.
const mostLate = 10 * time.Millisecond

// mostFaults is how many different faults are told.
const mostFaults = 8

// measurement is a run against servers, and what it measured.
type measurement struct {
	run      local.Run
	seed     int64
	options  load.Options
	meter    *load.Meter
	recorder benchmark.Recorder
	faults   map[string]int
	// failed is how many requests failed.
	failed int
	// heard hear of each request that has ended.
	heard      []func(*load.Outcome)
	start, end time.Time
	summary    *load.Summary
	row        result.Row
}

// newMeasurement compiles the workload that is sent.
func (o *loadOptions) newMeasurement(run local.Run) (*measurement, error) {
	m := &measurement{run: run, seed: run.Plan.Seeds[0], faults: map[string]int{}}
	if o.seed >= 0 {
		m.seed = o.seed
	}
	config, err := m.simulation()
	if err != nil {
		return nil, err
	}
	pools := run.Spec.Scenario.Pools
	m.meter = load.NewMeter(&config)
	m.options = load.Options{
		Source: config.Source, Listener: config.Listener, Horizon: config.Horizon,
		Target: o.target, API: load.API(o.api), Model: cmp.Or(o.model, pools[0].Model, pools[0].Name),
		Priorities: slices.ContainsFunc(pools, ordersByPriority),
		Seed:       m.seed, Speed: o.speed,
	}
	return m, nil
}

// simulation makes the input of the simulation that is compared.
func (m *measurement) simulation() (simulator.Config, error) {
	return execute.Config(m.run.Plan, m.run.Traces, experiment.Case{Trial: &experiment.Trial{Share: 1}, Seed: m.seed})
}

// requests is how many requests the workload has; -1 where that depends on the answers.
func (m *measurement) requests() (n int, err error) {
	config, err := m.simulation()
	if err != nil {
		return 0, err
	}
	if config.Listener != nil {
		return -1, workload.Close(config.Source)
	}
	for q, more := config.Source.Next(); more && within(&config.Horizon, n, q.Arrival); q, more = config.Source.Next() {
		n++
	}
	return n, workload.Close(config.Source)
}

func ordersByPriority(p v1alpha1.Pool) bool { return p.Engine.Scheduler == v1alpha1.PriorityScheduler }

// send sends the requests, and writes the files of --log and --requests.
func (m *measurement) send(ctx context.Context, o *loadOptions) error {
	if o.epp != "" {
		p, err := picker.NewClient(o.epp)
		if err != nil {
			return cli.BadInput(fmt.Errorf("--epp: %w", err))
		}
		defer p.Close() //nolint:errcheck // all requests have ended
		m.options.Picker = p
	}
	if o.log == "" {
		return m.sendRows(ctx, o)
	}
	return cli.WriteWhole(o.log, func(w io.Writer) error {
		log := servedLog{labels: m.options.Source.Labels()}
		m.heard = append(m.heard, log.add)
		if err := m.sendRows(ctx, o); err != nil {
			return err
		}
		return log.write(w)
	})
}

// sendRows sends the requests, and writes the file of --requests.
func (m *measurement) sendRows(ctx context.Context, o *loadOptions) error {
	if o.local.Requests == "" {
		return m.sendTo(ctx, func(*result.RequestRow) error { return nil })
	}
	return cli.WriteWhole(o.local.Requests, func(w io.Writer) error {
		buffer := bufio.NewWriter(w)
		rows := dataframe.NewRequestWriter(buffer)
		return errors.Join(m.sendTo(ctx, rows.Write), rows.Close(), buffer.Flush())
	})
}

// sendTo sends the requests, and hands over a row of each.
func (m *measurement) sendTo(ctx context.Context, write func(*result.RequestRow) error) (err error) {
	m.options.Ended = func(e *load.Outcome) error {
		m.meter.Add(e)
		for _, hear := range m.heard {
			hear(e)
		}
		if e.Fault != "" {
			m.faults[e.Fault]++
		}
		if e.Failed() {
			m.failed++
		}
		row := m.meter.RequestRow(e)
		row.Object, row.Seed = m.run.Name, m.seed
		return errors.Join(m.recorder.Write(&row), write(&row))
	}
	m.start = time.Now()
	if m.summary, err = load.Run(ctx, m.options); err != nil {
		return err
	}
	m.end = time.Now()
	criteria, errs := m.run.Plan.Criteria(nil)
	if len(errs) > 0 {
		return errs.ToAggregate()
	}
	m.row = m.meter.Row("live/"+m.start.UTC().Format(time.RFC3339Nano), m.seed, criteria.Metrics())
	return m.recorder.Close()
}

// behind says that the client did not keep up with the workload; "" where it did.
func (m *measurement) behind() string {
	late := &m.summary.Late
	if late.Count() == 0 || late.Quantile(0.99) <= float64(mostLate) {
		return ""
	}
	return fmt.Sprintf("the client fell behind: of %d requests one in 100 was sent %v or more after its time, the latest one %v; the load is not the stated one",
		m.summary.Sent, time.Duration(late.Quantile(0.99)).Round(time.Millisecond), time.Duration(late.Max()).Round(time.Millisecond))
}

// client is what the client says of itself.
type client struct {
	Target        string  `json:"target"`
	Speed         float64 `json:"speed"`
	Sent          int     `json:"sent"`
	PeakInFlight  int     `json:"peakInFlight"`
	LateP50Millis float64 `json:"lateP50Milliseconds"`
	LateP99Millis float64 `json:"lateP99Milliseconds"`
	LateMaxMillis float64 `json:"lateMaxMilliseconds"`
	// Faults count the requests that failed or were rejected, by what was answered.
	Faults map[string]int `json:"faults,omitempty"`
}

func (m *measurement) client(o *loadOptions) client {
	late := &m.summary.Late
	c := client{Target: cmp.Or(o.target, o.epp), Speed: o.speed, Sent: m.summary.Sent, PeakInFlight: m.summary.PeakInFlight, Faults: m.faults}
	if late.Count() > 0 {
		const millisecond = float64(time.Millisecond)
		c.LateP50Millis, c.LateP99Millis, c.LateMaxMillis = late.Quantile(0.5)/millisecond, late.Quantile(0.99)/millisecond, float64(late.Max())/millisecond
	}
	return c
}

// loadOutput is what `load -o json` prints.
type loadOutput struct {
	cli.Identity
	Client client       `json:"client"`
	Rows   []result.Row `json:"rows"`
}

func (m *measurement) print(w io.Writer, o *loadOptions) error {
	identity := cli.Identify(m.run.TypeMeta, m.run.ObjectMeta)
	said := m.client(o)
	switch o.local.Output {
	case cli.BenchmarkReport:
		text, err := local.BenchmarkReport(m.run.Plan, experiment.Point{}, benchmark.Input{
			Name: m.run.Name, Rows: []result.Row{m.row}, Requests: &m.recorder.Summary,
			Own:  map[string]any{"client": said},
			Live: &benchmark.Live{Start: m.start, End: m.end, Target: said.Target},
		})
		if err != nil {
			return err
		}
		_, err = w.Write(text)
		return err
	case cli.Table:
		return m.printTable(w, &said)
	}
	return o.local.Output.Write(w, loadOutput{identity, said, []result.Row{m.row}})
}

// latencies and figures are the metrics of the table.
var (
	latencies  = []string{"ttft", "tpot", "itl", "e2e"}
	statistics = []string{"mean", "p50", "p90", "p95", "p99", "max"}
	figures    = []string{"completionRate", "goodput", "rejectionRate", "timeoutRate", "retries", "throughput.requests", "throughput.inputTokens", "throughput.outputTokens", "cacheHit.gpu"}
)

func (m *measurement) printTable(w io.Writer, said *client) error {
	fmt.Fprintf(w, "SimulationRun %s, sent to %s\n\n", m.run.Name, said.Target)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(table, "ms\t%s\t\n", strings.Join(statistics, "\t"))
	for _, latency := range latencies {
		fmt.Fprint(table, latency)
		for _, statistic := range statistics {
			fmt.Fprintf(table, "\t%s", m.figure(latency+"."+statistic, 1000))
		}
		fmt.Fprintln(table, "\t")
	}
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w)
	for _, name := range figures {
		fmt.Fprintf(w, "%-24s %s\n", name, m.figure(name, 1))
	}
	fmt.Fprintf(w, "\n%d requests were sent, at most %d at once, p50 %.2f ms and p99 %.2f ms after their times.\n",
		said.Sent, said.PeakInFlight, said.LateP50Millis, said.LateP99Millis)
	m.printFaults(w)
	return nil
}

// figure is a metric's value; a dash is none.
func (m *measurement) figure(metric string, scale float64) string {
	value, ok := m.row.Metrics.Get(metric)
	if !ok {
		return "–"
	}
	return strconv.FormatFloat(value*scale, 'g', 4, 64)
}

// printFaults prints the most frequent faults.
func (m *measurement) printFaults(w io.Writer) {
	var all []string
	for fault := range m.faults {
		all = append(all, fault)
	}
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(m.faults[b]-m.faults[a], cmp.Compare(a, b)) })
	for i, fault := range all {
		if i == mostFaults {
			fmt.Fprintf(w, "%d more faults: -o json has all.\n", len(all)-i)
			return
		}
		fmt.Fprintf(w, "%d requests: %s\n", m.faults[fault], fault)
	}
}
