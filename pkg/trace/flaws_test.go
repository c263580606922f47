// SPDX-License-Identifier: Apache-2.0

package trace_test

import (
	"bytes"
	"os"
	"testing"

	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
	"windtunnel.dev/windtunnel/pkg/manifest"
	"windtunnel.dev/windtunnel/pkg/trace"
)

// flaws are the scenarios of testdata/flaws, and what each has in its flawed run. Each has a
// healthy twin.
var flaws = []struct {
	name string
	want trace.Type
}{
	{"prefix-blind", trace.PrefixBlind},
	{"hot-prefix", trace.HotReplica},
	{"burst-tenant", trace.TenantBurst},
	{"priority-ignored", trace.PriorityInversion},
	{"thrashing-tiers", trace.CacheThrashing},
	{"starved-decode", trace.PDBackpressure},
	{"oscillating-scaler", trace.ScaleOscillation},
	{"stale-index", trace.ShadowDivergence},
}

// The rules name eight of eight planted flaws among the first three issues, and none in their
// healthy twins.
func TestFlawsAreNamed(t *testing.T) {
	for _, flaw := range flaws {
		t.Run(flaw.name, func(t *testing.T) {
			reports := reportsOf(t, "testdata/flaws/"+flaw.name+".yaml")
			for run, r := range reports {
				t.Logf("== %s %s\n%s", flaw.name, run, trace.Summarize(r, trace.SummaryOptions{}))
			}
			if !names(reports["flawed"], flaw.want) {
				t.Errorf("the flawed run has no %s among its first three issues: %+v", flaw.want, reports["flawed"].Issues())
			}
			if names(reports["healthy"], flaw.want) {
				t.Errorf("the healthy run has %s among its first three issues", flaw.want)
			}
		})
	}
}

// names says whether an anomaly is among the first three issues.
func names(r *trace.Report, kind trace.Type) bool {
	all := r.Issues()
	for _, a := range all[:min(len(all), 3)] {
		if a.Type == kind {
			return true
		}
	}
	return false
}

// reportsOf simulates the runs of a file, and returns their reports by name.
func reportsOf(t *testing.T, file string) map[string]*trace.Report {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	set, err := manifest.Read(bytes.NewReader(raw), file)
	if err != nil {
		t.Fatal(err)
	}
	reports := map[string]*trace.Report{}
	for _, run := range set.Runs {
		c := experimenttest.MustCompileRun(t, run)
		_, report, err := execute.Reflect(t.Context(), c.Plan, c.Traces, experiment.Case{Trial: &experiment.Trial{Share: 1}, Seed: c.Plan.Seeds[0]}, nil, trace.Thresholds{}, false)
		if err != nil {
			t.Fatal(err)
		}
		reports[run.Name] = report
	}
	return reports
}
