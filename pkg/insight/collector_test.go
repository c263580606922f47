// SPDX-License-Identifier: Apache-2.0

package insight_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/internal/reference"
	"windtunnel.dev/windtunnel/internal/testing/jsontest"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
	"windtunnel.dev/windtunnel/pkg/insight"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/simulation"
)

// A collector changes nothing of a simulation, and finds the same twice.
func TestACollectorOnlyWatches(t *testing.T) {
	run := func(watch bool) (outcome, found string) {
		config := reference.R(3000, 4, 1)
		c := insight.NewCollector(&config, insight.Thresholds{})
		if watch {
			defer c.Attach(&config)()
		}
		o, err := simulation.Run(t.Context(), config)
		if err != nil {
			t.Fatal(err)
		}
		r := jsontest.Encode(t, c.Report())
		return fmt.Sprintf("%+v", o.Pools) + cells(o), string(r)
	}
	plain, _ := run(false)
	watched, found := run(true)
	if diff := cmp.Diff(plain, watched); diff != "" {
		t.Errorf("the outcome (−alone +watched):\n%s", diff)
	}
	if _, again := run(true); again != found {
		t.Errorf("two reports of one simulation:\n%s\n%s", found, again)
	}
}

func cells(o *simulator.Result) string {
	text := ""
	for i := range o.Cells {
		c := &o.Cells[i]
		text += fmt.Sprintln(c.Arrived, c.Completed, c.Good, c.CachedTokens, c.OutputTokens, c.TTFT.Mean(), c.E2E.Mean())
	}
	return text
}

// seen is what a trace has of a request.
type seen struct {
	end               simulator.RequestEnd
	priority, replica int
	waiting           int
	decodes, there    int
}

// Thirty long prompts arrive within 30 ms, and thirty urgent short ones from 50 ms on. A
// step has room for two of the long ones, so that the last ones are admitted over a second
// later. First come, first served, every short one waits while some long one is admitted,
// and computes 4000 tokens, 40 times its own. By priority none waits for a second step.
func TestMetricsAndAnomaliesCountTheSameWaits(t *testing.T) {
	for _, run := range runsOf(t, "testdata/urgent-behind-long.yaml") {
		t.Run(run.Name, func(t *testing.T) {
			want := map[string]float64{"fcfs": 30, "priority": 0}[run.Name]
			c := experimenttest.MustCompileRun(t, run)
			simulation, report, err := execute.Reflect(t.Context(), c.Plan, c.Traces, experiment.Case{Trial: &experiment.Trial{Share: 1}, Seed: 42}, nil, insight.Thresholds{}, false)
			if err != nil {
				t.Fatal(err)
			}
			counts := map[insight.Type]float64{}
			for _, a := range report.Anomalies {
				counts[a.Type] = float64(a.Count)
			}
			for metric, kind := range map[string]insight.Type{"priorityInversions": insight.PriorityInversion, "headOfLineBlocking": insight.HeadOfLineBlocking} {
				measured, _ := simulation.Row.Metrics.Get(metric)
				if measured != want || counts[kind] != want {
					t.Errorf("%s is %v, and %s is %v, want %v", metric, measured, kind, counts[kind], want)
				}
			}
		})
	}
}

// The counts of the rules are those that the decisions and the ends of the requests give, all compared
// with all.
func TestCountsAreThoseOfTheTrace(t *testing.T) {
	for _, test := range []struct {
		file  string
		kind  insight.Type
		count func([]seen) int
	}{
		{"stale-index", insight.ShadowDivergence, divergences},
		{"starved-decode", insight.PDBackpressure, queuesOfDecode},
		{"hot-prefix", insight.HotReplica, func(all []seen) int { return len(all) }}, // one replica gets all
	} {
		t.Run(test.file, func(t *testing.T) {
			all := traceOf(t, "testdata/flaws/"+test.file+".yaml")
			report := reportsOf(t, "testdata/flaws/"+test.file+".yaml", 42)["flawed"]
			for _, a := range report.Anomalies {
				if a.Type == test.kind {
					if want := test.count(all); a.Count != want {
						t.Errorf("%d requests, want %d", a.Count, want)
					}
					return
				}
			}
			t.Errorf("no %s", test.kind)
		})
	}
}

func divergences(all []seen) int {
	n := 0
	for i := range all {
		e := &all[i].end
		believed, found := min(e.Believed.Tokens, e.PromptTokens-1), e.CachedTokens
		if e.Scheduled && e.Believed.Known && believed-found >= 256 && float64(believed-found) >= 0.5*float64(believed) {
			n++
		}
	}
	return n
}

func queuesOfDecode(all []seen) int {
	n := 0
	for i := range all {
		if s := &all[i]; s.decodes >= 0 && s.there >= 4 && s.there > s.waiting {
			n++
		}
	}
	return n
}

// traceOf is what the flawed run of a file tells, without a collector.
func traceOf(t *testing.T, file string) []seen {
	t.Helper()
	for _, run := range runsOf(t, file) {
		if run.Name != "flawed" {
			continue
		}
		c := experimenttest.MustCompileRun(t, run)
		config, err := execute.Config(c.Plan, c.Traces, experiment.Case{Trial: &experiment.Trial{Share: 1}, Seed: 42})
		if err != nil {
			t.Fatal(err)
		}
		all := map[int]*seen{}
		config.Policies.Routing.Router.(interface {
			Explain(func(*scheduler.Explanation))
		}).Explain(func(x *scheduler.Explanation) {
			s := &seen{priority: x.Request.Priority, replica: *x.Endpoint, decodes: -1}
			if x.Prefill != nil {
				s.replica, s.decodes, s.there = *x.Prefill, *x.Endpoint, x.Endpoints[*x.Endpoint].Waiting
			}
			s.waiting = x.Endpoints[s.replica].Waiting
			all[x.Request.ID] = s
		})
		config.Ended = func(e simulator.RequestEnd) { all[e.ID].end = e }
		if _, err := simulation.Run(t.Context(), config); err != nil {
			t.Fatal(err)
		}
		list := make([]seen, len(all))
		for id, s := range all {
			list[id] = *s
		}
		return list
	}
	t.Fatal("no flawed run")
	return nil
}

// BenchmarkCollector compares a simulation alone with one that a collector watches.
func BenchmarkCollector(b *testing.B) {
	for _, watch := range []bool{false, true} {
		b.Run(map[bool]string{false: "alone", true: "watched"}[watch], func(b *testing.B) {
			for b.Loop() {
				config := reference.R(50_000, 16, 1)
				if watch {
					insight.NewCollector(&config, insight.Thresholds{}).Attach(&config)
				}
				if _, err := simulation.Run(b.Context(), config); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
