// SPDX-License-Identifier: Apache-2.0

package browser

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"windtunnel.dev/windtunnel/pkg/insight"
	"windtunnel.dev/windtunnel/pkg/report"
	"windtunnel.dev/windtunnel/pkg/report/page"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/verdict"
)

// run describes a made-up run.
type run struct {
	title, pool string
	replicas    int
	verdict     verdict.Outcome
	// bare has neither series nor decisions.
	bare bool
}

// runs are the pages of runs that tests look at, by what they show.
var runs = map[string]run{
	"a run that fails":                {title: "SimulationRun chat", pool: "llama", replicas: 4, verdict: verdict.Fail},
	"a run without evidence":          {title: "SimulationRun open", pool: "llama", replicas: 2, verdict: verdict.Undecided},
	"a run of many replicas":          {title: "SimulationRun large", pool: "llama", replicas: 64, verdict: verdict.Pass},
	"a run without series":            {title: "SimulationRun bare", pool: "llama", replicas: 4, bare: true},
	"a run of names that look like …": {title: hostile, pool: hostile, replicas: 3, verdict: verdict.Fail},
}

// column is a wave of integers.
func column(bins int, height, phase float64) []int64 {
	values := make([]int64, bins)
	for i := range values {
		values[i] = int64(height * (1.2 + math.Sin(float64(i)/9+phase)))
	}
	return values
}

// track has every line of a pool or a replica.
func track(name string, bins int, size, phase float64) result.SeriesTrack {
	columns := map[string][]int64{}
	for name, height := range map[string]float64{
		"waiting": 3000, "running": 9000, "busy": 800, "blocks": 500_000, "arrived": 12, "completed": 12,
		"rejected": 1, "promptTokens": 9000, "cachedTokens": 4000,
	} {
		columns[name] = column(bins, size*height, phase)
	}
	columns["present"] = column(bins, size*1000, 0)
	return result.SeriesTrack{Name: name, KVBlocks: 1000, PeakWaiting: 9, PeakRunning: 30, PeakBlocks: 950, Columns: columns}
}

// series are those of the run.
func (r *run) series(engine string) *result.Series {
	const bins = 480
	s := &result.Series{
		SchemaVersion: result.SeriesSchemaVersion, EngineVersion: engine, Runs: 3, UnitNanoseconds: 1e6, WidthUnits: 1000, Lasted: column(bins, 3000, 0),
		Gateway: result.SeriesTrack{Columns: map[string][]int64{"rejected": column(bins, 2, 1), "arrived": column(bins, 2, 1)}},
		Pools:   []result.SeriesTrack{track(r.pool, bins, float64(r.replicas), 0)},
		Routers: []result.SeriesRouter{{Law: "ratio", Known: column(bins, 3000, 0), Prefix: column(bins, 2_000_000, 2), Load: column(bins, 1_000_000, 0)}},
	}
	for i := range r.replicas {
		s.Replicas = append(s.Replicas, track(fmt.Sprint(r.pool, "/", i), bins, 1, float64(i)))
	}
	for _, class := range []string{"critical", r.title} {
		for octave, metric := range []string{"ttft", "tpot", "e2e"} {
			o := stats.Outline{Bits: 2}
			for i := range int64(40) {
				o.Lows, o.Counts = append(o.Lows, (4+i%4)<<(int64(octave)+17+i/4)), append(o.Counts, 50-(i-20)*(i-20)/9)
			}
			s.Distributions = append(s.Distributions, result.SeriesDistribution{Class: class, Metric: metric, Outline: o})
		}
	}
	return s
}

// report is what the command makes of a run.
func (r *run) report(t testing.TB) *report.RunReport {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "..", "pkg", "result", "testdata", "run.json"))
	if err != nil {
		t.Fatal(err)
	}
	out := &report.RunReport{Title: r.title, WithoutSeries: "No series", WithoutFlaws: "Nobody looked", WithoutWorst: "No decisions"}
	if err := json.Unmarshal(raw, &out.Documents); err != nil {
		t.Fatal(err)
	}
	if r.verdict != "" {
		out.Gates = []result.GateResult{{Gate: result.Gate{Name: r.title}, Verdict: r.verdict, Message: r.title}}
	}
	if r.bare {
		return out
	}
	out.Series = r.series(out.Documents[0].EngineVersion)
	out.Targets = []report.Target{{Class: "critical", Latency: "ttft", Seconds: 0.2}}
	out.Flaws = &insight.Report{Seed: 42, Anomalies: []insight.Anomaly{{Type: insight.HotReplica, About: r.title, Count: 9, Share: 0.3, Severity: 0.7}}}
	out.Worst = []report.WorstRequest{{Request: 17, Seed: 42, What: r.title, Known: r.title, Story: r.title, Command: r.title}}
	return out
}

// file writes the run's page, and returns its path.
func (r *run) file(t testing.TB) (name string, data *page.RunData) {
	t.Helper()
	p := &page.Run{Report: r.report(t), Facts: []page.Fact{{Name: r.title, Value: r.title, Code: true}}}
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	name = filepath.Join(t.TempDir(), "run.html")
	if err := os.WriteFile(name, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return name, page.NewRunData(p.Report)
}
