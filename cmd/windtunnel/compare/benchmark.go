// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/internal/figure"
	"windtunnel.dev/windtunnel/pkg/report/benchmark"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// reportFileName begins the names that readers of benchmark reports look for.
const reportFileName = "benchmark_report_v0"

// readBenchmarkReport reads a file that is a benchmark report; nil where it is something
// else.
func readBenchmarkReport(name string) (*benchmark.Report, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, nil // whoever reads the file next says it
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, benchmark.MaxBytes+1))
	if err != nil || !benchmark.Looks(raw) && !strings.HasPrefix(filepath.Base(name), reportFileName) {
		return nil, nil
	}
	r, errs := benchmark.Read(raw)
	if len(errs) > 0 {
		return nil, cli.BadInput(fmt.Errorf("%s is no Benchmark Report that this command reads:\n%s", name, cli.BulletList(errs)))
	}
	return r, nil
}

// measuredSide is one side of a comparison with a benchmark report.
type measuredSide struct {
	Name string `json:"name"`
	// Measured says that the side is a report; Simulated that a simulator wrote it.
	Measured  bool `json:"measured"`
	Simulated bool `json:"simulated,omitempty"`
	// Load says in words what was measured.
	Load string `json:"load,omitempty"`
	// Only are metrics that the other side lacks.
	Only   []string `json:"only,omitempty"`
	values map[string][]float64
}

// measuredMetric is a metric of both sides.
type measuredMetric struct {
	Metric string     `json:"metric"`
	Means  [2]float64 `json:"means"`
	// Relative is B − A ÷ A; absent where A is 0.
	Relative *float64 `json:"relative,omitempty"`
	// Predicted are the bounds in which another run lies with a confidence of 95 %, by the
	// seeds of the simulated side, and Inside says whether the measured value does. Both are
	// absent with fewer than two seeds.
	Predicted *[2]float64 `json:"predicted,omitempty"`
	Inside    *bool       `json:"inside,omitempty"`
}

// measuredContrast compares with a benchmark report, which is one measurement: it has no
// seeds to pair.
type measuredContrast struct {
	Sides   [2]measuredSide  `json:"sides"`
	Metrics []measuredMetric `json:"metrics"`
}

// benchmarkSides reads the reports among A and B.
func benchmarkSides(args []string) (reports [2]*benchmark.Report, some bool, err error) {
	for i, name := range args {
		if reports[i], err = readBenchmarkReport(name); err != nil {
			return reports, false, err
		}
		some = some || reports[i] != nil
	}
	return reports, some, nil
}

// checkMeasured refuses what needs seeds on both sides.
func (o *compareOptions) checkMeasured() error {
	if len(o.gates.texts) > 0 || o.gates.report != "" {
		return cli.BadInput(errors.New("--gate and --report need seeds on both sides, and a Benchmark Report is one measurement without seeds: use compare without them"))
	}
	return nil
}

// contrastMeasured compares two sides, of which one or both are reports.
func contrastMeasured(args []string, reports [2]*benchmark.Report, simulated [2]*side) *measuredContrast {
	c := &measuredContrast{}
	for i, name := range args {
		if reports[i] != nil {
			c.Sides[i] = sideOfReport(name, reports[i])
		} else {
			c.Sides[i] = sideOfRows(name, simulated[i].rows)
		}
	}
	for _, m := range result.RegisteredMetrics() {
		name := m.String()
		a, b := c.Sides[0].values[name], c.Sides[1].values[name]
		switch {
		case len(a) > 0 && len(b) > 0:
			c.Metrics = append(c.Metrics, contrastMetric(name, a, b, c.Sides[0].Measured, c.Sides[1].Measured))
		case len(a) > 0:
			c.Sides[0].Only = append(c.Sides[0].Only, name)
		case len(b) > 0:
			c.Sides[1].Only = append(c.Sides[1].Only, name)
		}
	}
	return c
}

func sideOfReport(name string, r *benchmark.Report) measuredSide {
	s := measuredSide{Name: name, Measured: true, Load: r.Load(), Simulated: r.IsSimulated(), values: map[string][]float64{}}
	for metric, value := range r.Metrics() { // in any order
		s.values[metric] = []float64{value}
	}
	return s
}

func sideOfRows(name string, rows []result.Row) measuredSide {
	s := measuredSide{Name: name, values: map[string][]float64{}}
	for i := range rows {
		if rows[i].Failed() || rows[i].Share != 1 {
			continue
		}
		for metric, value := range rows[i].Metrics.All() {
			s.values[metric] = append(s.values[metric], value)
		}
	}
	return s
}

// contrastMetric compares the values of one metric, one a seed on a simulated side.
func contrastMetric(name string, a, b []float64, measuredA, measuredB bool) measuredMetric {
	m := measuredMetric{Metric: name, Means: [2]float64{mean(a), mean(b)}}
	m.Relative = relative(m.Means[1], m.Means[0])
	switch {
	case measuredA && !measuredB:
		m.predict(b, m.Means[0])
	case measuredB && !measuredA:
		m.predict(a, m.Means[1])
	}
	return m
}

// predict compares a measured value with what the seeds say of one more run.
func (m *measuredMetric) predict(seeds []float64, measured float64) {
	of := stats.Prediction(seeds, result.Confidence)
	if of.N < 2 {
		return
	}
	// No metric is below 0.
	m.Predicted = &[2]float64{max(0, of.Low), of.High}
	m.Inside = new(measured >= m.Predicted[0] && measured <= m.Predicted[1])
}

// table prints the comparison for people.
func (c *measuredContrast) table(w io.Writer) error {
	for i, s := range c.Sides {
		if s.Measured {
			fmt.Fprintf(w, "%s is %s: %s.\n", "AB"[i:i+1], s.kind(), s.Load)
		}
	}
	fmt.Fprintln(w)
	rows := []string{"metric\tA\tB\tB against A\tpredicted\tinside"}
	for i := range c.Metrics {
		rows = append(rows, c.Metrics[i].row())
	}
	if err := writeRows(w, rows); err != nil {
		return err
	}
	for i, s := range c.Sides {
		if other := c.Sides[1-i]; len(s.Only) > 0 {
			fmt.Fprintf(w, "\n%s lacks what %s has: %s.\n", "AB"[1-i:2-i], "AB"[i:i+1], strings.Join(families(s.Only, other.values), ", "))
		}
	}
	fmt.Fprint(w, `
A report measures at the load generator, network included, and a simulation at the
gateway. predicted: where one more run lies with 95 % confidence, by the seeds of the
simulated side.
`)
	return nil
}

func (s *measuredSide) kind() string {
	if s.Simulated {
		return "a report of a simulation"
	}
	return "a measured report"
}

func (m *measuredMetric) row() string {
	name, text := shown(m.Metric, m.Means[0], m.Means[1])
	predicted := figure.Absent
	if m.Predicted != nil {
		predicted = text(m.Predicted[0]) + " to " + text(m.Predicted[1])
	}
	return strings.Join([]string{name, text(m.Means[0]), text(m.Means[1]), percent(m.Relative), predicted, yesOrNo(m.Inside)}, "\t")
}

// writeRows writes a table of rows whose cells are between tabs.
func writeRows(w io.Writer, rows []string) error {
	var table bytes.Buffer
	t := tabwriter.NewWriter(&table, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, row := range rows {
		fmt.Fprintf(t, "%s\t\n", row)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for line := range bytes.Lines(table.Bytes()) {
		fmt.Fprintf(w, "%s\n", bytes.TrimRight(line, " \n"))
	}
	return nil
}

// shown is how values of a metric are shown, with the digits that the lesser of two needs.
func shown(metric string, a, b float64) (name string, text func(float64) string) {
	display := result.Of(result.MustParseMetric(metric)).Unit().Display()
	decimals := display.Decimals
	if decimals == result.ThreeDigits {
		decimals = threeDigits(a*display.Factor, b*display.Factor)
	}
	return strings.TrimRight(metric+" "+display.Suffix, " "), func(v float64) string { return figure.Fixed(v*display.Factor, decimals) }
}

func percent(v *float64) string {
	if v == nil {
		return figure.Absent
	}
	return figure.Signed(*v*100, 1) + " %"
}

func yesOrNo(is *bool) string {
	if is == nil {
		return figure.Absent
	}
	return map[bool]string{true: "yes", false: "no"}[*is]
}

// threeDigits are the decimals, at most 4, that show three digits of the smaller number.
func threeDigits(a, b float64) int {
	decimals := 0
	for limit := 100.0; min(math.Abs(a), math.Abs(b)) < limit && decimals < 4; limit /= 10 {
		decimals++
	}
	return decimals
}

// families names metrics without their statistics, where the other side has none of them.
func families(metrics []string, other map[string][]float64) []string {
	has := map[string]bool{}
	for name := range maps.Keys(other) {
		family, _, _ := strings.Cut(name, ".")
		has[family] = true
	}
	var names []string
	for _, name := range metrics {
		if family, _, _ := strings.Cut(name, "."); !has[family] {
			name = family
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// printMeasured prints a comparison with a report.
func (o *compareOptions) printMeasured(stdout io.Writer, c *measuredContrast, sides [2]*side) error {
	var served error
	for _, s := range sides {
		if s != nil {
			served = errors.Join(served, cli.CheckServed(s.name, s.rows, nil))
		}
	}
	if o.Output != cli.Table {
		return errors.Join(o.Output.Write(stdout, c), served)
	}
	if len(o.gates.gates) > 0 {
		fmt.Fprintf(stdout, "The gates of %s are not judged: a Benchmark Report has no seeds.\n\n", o.scenario)
	}
	return errors.Join(c.table(stdout), served)
}
