// SPDX-License-Identifier: Apache-2.0

package insight_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
	"windtunnel.dev/windtunnel/pkg/insight"
)

// flaws are the scenarios of testdata/flaws, and what each has in its flawed run. Each has a
// healthy twin.
var flaws = []struct {
	name string
	want insight.Type
}{
	{"prefix-blind", insight.PrefixBlind},
	{"hot-prefix", insight.HotReplica},
	{"burst-tenant", insight.TenantBurst},
	{"priority-ignored", insight.PriorityInversion},
	{"thrashing-tiers", insight.CacheThrashing},
	{"starved-decode", insight.PDBackpressure},
	{"oscillating-scaler", insight.ScaleOscillation},
	{"stale-index", insight.ShadowDivergence},
}

// The rules name each planted flaw among the first three issues, and no flaw in its healthy
// twin, whatever the seed. The least that is good enough is seven of eight flaws, and one
// twin.
func TestFlawsAreNamed(t *testing.T) {
	seeds := []int64{42, 43, 44, 45, 46}
	if testing.Short() {
		seeds = seeds[:1]
	}
	for _, seed := range seeds {
		found, mistaken := 0, 0
		for _, flaw := range flaws {
			reports := reportsOf(t, "testdata/flaws/"+flaw.name+".yaml", seed)
			if names(reports["flawed"], flaw.want) {
				found++
			} else {
				t.Errorf("seed %d: %s: flawed: %s", seed, flaw.name, typesOf(reports["flawed"]))
			}
			if names(reports["healthy"], flaw.want) {
				mistaken++
				t.Errorf("seed %d: %s: healthy: %s", seed, flaw.name, typesOf(reports["healthy"]))
			}
		}
		t.Logf("seed %d: %d of %d flaws found, %d twins mistaken", seed, found, len(flaws), mistaken)
	}
}

func typesOf(r *insight.Report) []insight.Type {
	var all []insight.Type
	for _, a := range r.Issues() {
		all = append(all, a.Type)
	}
	return all
}

// names says whether an anomaly is among the first three issues.
func names(r *insight.Report, kind insight.Type) bool {
	all := r.Issues()
	for _, a := range all[:min(len(all), 3)] {
		if a.Type == kind {
			return true
		}
	}
	return false
}

// runsOf reads the runs of a file.
func runsOf(t *testing.T, file string) []*v1alpha1.SimulationRun {
	t.Helper()
	return experimenttest.ReadSet(t, testfile.Read(t, file)).Runs
}

// reportsOf simulates the runs of a file under a seed, and returns their reports by name.
func reportsOf(t *testing.T, file string, seed int64) map[string]*insight.Report {
	t.Helper()
	reports := map[string]*insight.Report{}
	for _, run := range runsOf(t, file) {
		c := experimenttest.MustCompileRun(t, run)
		_, report, err := execute.Reflect(t.Context(), c.Plan, c.Traces, experiment.Case{Trial: &experiment.Trial{Share: 1}, Seed: seed}, nil, insight.Thresholds{}, false)
		if err != nil {
			t.Fatal(err)
		}
		reports[run.Name] = report
	}
	return reports
}

// Each component that decides has examples, which say what was given, done and the result.
func TestComponentsHaveExamples(t *testing.T) {
	for file, components := range map[string][]string{
		"burst-tenant":       {"priority", "routing", "scheduler"},
		"oscillating-scaler": {"autoscale", "priority", "routing", "scheduler"},
	} {
		t.Run(file, func(t *testing.T) {
			got := reportsOf(t, "testdata/flaws/"+file+".yaml", 42)["flawed"].Components
			if diff := cmp.Diff(components, slices.Sorted(maps.Keys(got))); diff != "" {
				t.Errorf("components (-want +got):\n%s", diff)
			}
			for name, examples := range got {
				if len(examples) == 0 || len(examples) > 4 {
					t.Errorf("%s has %d examples", name, len(examples))
				}
				for _, e := range examples {
					if e.Inputs == "" || e.GeneratedOutputs == "" || e.Feedback == "" || len(e.Inputs+e.Feedback) > 1000 {
						t.Errorf("%s: %+v", name, e)
					}
				}
			}
		})
	}
}
