// SPDX-License-Identifier: Apache-2.0

package browser

import (
	"bytes"
	"fmt"
	"math"
	"math/bits"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"windtunnel.dev/windtunnel/pkg/report"
	"windtunnel.dev/windtunnel/pkg/report/page"
	"windtunnel.dev/windtunnel/pkg/result"
)

// hostile is a name that would run a script if a page took it for markup.
const hostile = `</script><img src=x onerror="alert(1)">`

// sweep describes a made-up sweep over a grid of two parameters.
type sweep struct {
	title, parameter string
	side, seeds      int
	// noise is by how much seeds differ, as a share.
	noise float64
	// limit is that of the gate on ttft.p99, in seconds.
	limit string
	// evolved has each point made of another one, and time series.
	evolved bool
}

// candidates are all points of the grid.
func (s *sweep) candidates() []result.Entry {
	var all []result.Entry
	for i := range s.side * s.side {
		c := result.Entry{Point: i, Parameters: []result.Assignment{
			{Name: s.parameter, Value: strconv.Itoa(i % s.side)}, {Name: "router", Value: "profile-" + strconv.Itoa(i/s.side%5)},
		}}
		if s.evolved {
			c.Parameters = append(c.Parameters, result.Assignment{Name: "policy", Value: fmt.Sprint("policy-", i)})
			c.Origin = &result.Origin{Generation: bits.Len(uint(i)), Parent: fmt.Sprint("policy-", i/2), Changes: []string{s.title}}
		}
		all = append(all, c)
	}
	return all
}

// row is a point under a seed: the middle of the first parameter has the least latency, and the
// greatest the least cost.
func (s *sweep) row(point, seed int) result.Row {
	x := float64(point%s.side)/float64(max(s.side-1, 1)) - 0.5
	shake := 1 + s.noise*math.Sin(float64(point*7+seed*13))
	row := result.Row{Key: fmt.Sprintf("%d-%d", point, seed), Point: point, Seed: int64(seed), Share: 1}
	row.Metrics = result.NewMetrics(map[string]float64{
		"ttft.p99": (0.4 + x*x + 0.05*float64(point/s.side%5)) * shake,
		"cost":     (3 - x) * shake,
	})
	return row
}

// report judges the sweep as the command does.
func (s *sweep) report(t testing.TB) *report.Sweep {
	t.Helper()
	in := result.LeaderboardInput{
		Candidates: s.candidates(), Baseline: 0,
		Objectives: []result.Objective{
			{Measure: result.Of(result.MustParseMetric("ttft.p99")), Direction: result.Minimize},
			{Measure: result.Of(result.MustParseMetric("cost")), Direction: result.Minimize},
		},
	}
	rows := map[int][]result.Row{}
	for i := range in.Candidates {
		for seed := range s.seeds {
			rows[i] = append(rows[i], s.row(i, seed))
		}
		in.Rows = append(in.Rows, rows[i]...)
	}
	board, err := result.NewLeaderboard(in)
	if err != nil {
		t.Fatal(err)
	}
	gate, errs := result.Measures{}.Gate(result.GateText{Name: s.title, Metric: "ttft.p99", Operator: "AtMost", Value: s.limit, Confidence: "0.95"}, nil)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	best := board.Candidates[0].Point
	return &report.Sweep{
		Title: s.title, Best: best, Board: board, Top: 10, Gates: []result.GateResult{gate.Judge(rows[best], rows[0])},
		Assumptions: []string{"Traffic: " + s.title}, Diffs: []report.Diff{{Title: s.title, Text: "--- a\n+++ b\n@@ -1 +1 @@\n-" + s.title + "\n+b\n"}},
	}
}

// file writes the sweep's page, and returns its path.
func (s *sweep) file(t testing.TB) (name string, data *page.SweepData) {
	t.Helper()
	r := s.report(t)
	var b bytes.Buffer
	p := &page.Sweep{Report: r, Facts: []page.Fact{{Name: s.title, Value: s.title, Code: true}}, WithoutSeries: s.title}
	if s.evolved {
		of := run{title: s.title, pool: s.title, replicas: 3}
		p.Series = []page.NamedSeries{{Name: "baseline", Series: of.series("6")}, {Name: "best", Series: of.series("6")}}
	}
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	name = filepath.Join(t.TempDir(), "sweep.html")
	if err := os.WriteFile(name, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return name, page.NewSweepData(r)
}

// samples are the pages that tests look at, by what they show.
var samples = map[string]sweep{
	"a gate that passes":        {title: "PolicySweep chat", parameter: "prefix", side: 6, seeds: 6, noise: 0.02, limit: "2s"},
	"a gate that fails":         {title: "PolicySweep stopped", parameter: "prefix", side: 6, seeds: 6, noise: 0.02, limit: "300ms"},
	"a gate without evidence":   {title: "PolicySweep open", parameter: "prefix", side: 4, seeds: 2, noise: 0.3, limit: "420ms"},
	"one hundred thousand":      {title: "PolicySweep large", parameter: "prefix", side: 317, seeds: 1, noise: 0.02, limit: "2s"},
	"policies that evolved":     {title: "PolicySweep evolve", parameter: "prefix", side: 8, seeds: 3, noise: 0.02, limit: "2s", evolved: true},
	"names that look like tags": {title: hostile, parameter: hostile, side: 4, seeds: 3, noise: 0.02, limit: "2s", evolved: true},
}
