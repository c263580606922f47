// SPDX-License-Identifier: Apache-2.0

package whatif_test

import (
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/testing/jsontest"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
	"windtunnel.dev/windtunnel/pkg/experiment/whatif"
)

var options = whatif.Options{Window: whatif.DefaultWindow, Flips: whatif.DefaultFlips, Parallelism: 2}

// makerOf makes the simulations of an edited run under its first seed.
func makerOf(t *testing.T, run *v1alpha1.SimulationRun, edits ...func(*v1alpha1.Scenario)) whatif.Maker {
	t.Helper()
	for _, edit := range edits {
		edit(&run.Spec.Scenario)
	}
	c := experimenttest.MustCompileRun(t, run)
	return whatif.Of(c.Plan, c.Traces, experiment.Case{Trial: &experiment.Trial{Share: 1}, Seed: c.Plan.Seeds[0]})
}

// sample is a run of config/samples.
func sample(t *testing.T, name string) *v1alpha1.SimulationRun {
	t.Helper()
	return experimenttest.ReadSet(t, testfile.Read(t, "../../../config/samples/"+name)).Runs[0]
}

// by has a policy route.
func by(routing string) func(*v1alpha1.Scenario) {
	return func(s *v1alpha1.Scenario) {
		s.Router.EndpointPickerConfig = v1alpha1.EndpointPickerConfig{}
		s.Router.Policies = &v1alpha1.Policies{Routing: v1alpha1.RoutingPolicy{Policy: routing}}
	}
}

// alike is so many replicas with requests that have no prefix in common, so many a second.
func alike(requests int64, replicas int32, rate string) func(*v1alpha1.Scenario) {
	return func(s *v1alpha1.Scenario) {
		s.Horizon.Requests = &requests
		s.Pools[0].Replicas = replicas
		client := &s.Workload.Clients[0]
		client.Arrivals.Rate = v1alpha1.PositiveDecimal(rate)
		client.Prefix = nil
	}
}

func mustAskAbout(t *testing.T, m whatif.Maker, requests ...int) *whatif.Report {
	t.Helper()
	r, err := whatif.AskAbout(t.Context(), m, requests, options)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A turn that passes over an idle replica with the prompt's long prefix in its cache is
// regretted by all of the prefix's time.
func TestRegretOfAWarmIdleReplica(t *testing.T) {
	m := makerOf(t, experimenttest.Run(t), by("round-robin"), alike(12, 4, "0.5"), func(s *v1alpha1.Scenario) {
		s.Workload.Clients[0].Prefix = &v1alpha1.Prefix{Group: "assistant", Tokens: 8192}
	})
	r := mustAskAbout(t, m, 1)
	if r.Picks[0].Endpoint != 1 || r.Picks[0].Flips == 0 {
		t.Fatalf("the pick is %+v", r.Picks[0])
	}
	warm, cold := r.Answers[0], r.Answers[1]
	if warm.Own.TTFT.Verdict != whatif.Better || *warm.Own.TTFT.Seconds < 0.1 || *warm.Own.TTFT.Seconds < 10*warm.Own.TTFT.Spread {
		t.Errorf("on the replica with the prefix: %+v", warm.Own.TTFT)
	}
	if warm.Own.E2E.Verdict != whatif.Better {
		t.Errorf("on the replica with the prefix: %+v", warm.Own.E2E)
	}
	if cold.Own.TTFT.Verdict != whatif.Zero || *cold.Own.TTFT.Seconds != 0 {
		t.Errorf("on another replica without the prefix: %+v", cold.Own.TTFT)
	}
}

// Between identical idle replicas nothing is regretted.
func TestRegretOfIdenticalIdleReplicas(t *testing.T) {
	for _, routing := range []string{"random", "round-robin", "least-loaded"} {
		m := makerOf(t, experimenttest.Run(t), by(routing), alike(10, 3, "0.2"), func(s *v1alpha1.Scenario) {
			s.Workload.Clients[0].Arrivals.Process = v1alpha1.ConstantArrivals
		})
		for _, a := range mustAskAbout(t, m, 0, 4).Answers {
			for what, c := range map[string]*whatif.Comparison{"own": a.Own, "window": a.Window} {
				if *c.TTFT.Seconds != 0 || *c.E2E.Seconds != 0 || c.TTFT.Verdict != whatif.Zero || c.E2E.Verdict != whatif.Zero {
					t.Errorf("%s: request %d on %s, %s: %+v", routing, a.Request, a.Name, what, c)
				}
			}
		}
	}
}

// Where a draw decides between replicas that are alike, no pick is better for those that
// follow: about one of nine exceeds the spread of eight flips.
func TestFewPicksBetweenEqualsExceedTheSpread(t *testing.T) {
	m := makerOf(t, experimenttest.Run(t), by("random"), alike(700, 3, "60"))
	var every23rd []int
	for request := 0; request < 690; request += 23 {
		every23rd = append(every23rd, request)
	}
	r := mustAskAbout(t, m, every23rd...)
	beyond := 0
	for _, a := range r.Answers {
		for _, verdict := range []whatif.Effect{a.Window.TTFT.Verdict, a.Window.E2E.Verdict} {
			if verdict != whatif.Zero {
				beyond++
			}
		}
	}
	if share := float64(beyond) / float64(2*len(r.Answers)); share > 0.2 {
		t.Errorf("%d of %d exceed the spread", beyond, 2*len(r.Answers))
	}
}

// By score, nothing is regretted of a pick of the highest score; a draw among unequal scores is.
func TestRegretByScore(t *testing.T) {
	for picker, regretted := range map[string]bool{"max-score-picker": false, "random-picker": true} {
		m := makerOf(t, experimenttest.Run(t), func(s *v1alpha1.Scenario) {
			s.Pools[0].Replicas = 4
			s.Router.EndpointPickerConfig = experimenttest.Profile("p", "queue-scorer", "prefix-cache-scorer", picker).EndpointPickerConfig
		})
		var all []int
		for request := range 40 {
			all = append(all, request)
		}
		r := mustAskAbout(t, m, all...)
		if some := slices.ContainsFunc(r.Picks, func(p whatif.Pick) bool { return *p.ScoreRegret > 0 }); some != regretted {
			t.Errorf("%s: some picks have a score regret: %t", picker, some)
		}
		var table strings.Builder
		if err := r.Table(&table); err != nil || strings.Contains(table.String(), " below the highest\n") != regretted {
			t.Errorf("%s: error %v, table\n%s", picker, err, &table)
		}
	}
}

// Answers do not depend on how many simulations run at once.
func TestAnswersDoNotDependOnCores(t *testing.T) {
	m := makerOf(t, experimenttest.Run(t), func(s *v1alpha1.Scenario) { s.Pools[0].Replicas = 4 })
	var want string
	for _, cores := range []int{1, 2, 7} {
		before := runtime.GOMAXPROCS(min(cores, 2))
		o := options
		o.Parallelism = cores
		told := 0
		o.Progress = func(done, of int) { told = max(told, done) }
		r, err := whatif.AskAbout(t.Context(), m, []int{9, 3}, o)
		runtime.GOMAXPROCS(before)
		if err != nil {
			t.Fatal(err)
		}
		raw := jsontest.Encode(t, r)
		if want == "" {
			want = string(raw)
		}
		if diff := cmp.Diff(want, string(raw)); diff != "" || told != r.Simulations-1 {
			t.Errorf("%d at once, told of %d of %d (-1 +%d):\n%s", cores, told, r.Simulations, cores, diff)
		}
	}
}

// Alternatives that the router could not have picked are answered with the reason.
func TestImpossibleAlternatives(t *testing.T) {
	m := makerOf(t, sample(t, "simulationrun-disaggregated.yaml"), func(s *v1alpha1.Scenario) { s.Horizon.Requests = new(int64(60)) })
	r, err := whatif.Ask(t.Context(), m, []whatif.Alternative{{Request: 20, Endpoint: 0}, {Request: 20, Endpoint: 3}, {Request: 20, Endpoint: 9}}, options)
	if err != nil {
		t.Fatal(err)
	}
	got := []string{r.Answers[0].Impossible, r.Answers[1].Impossible, r.Answers[2].Impossible}
	want := []string{"decode-filter removed it from the candidates of profile decode, which were decode/0, decode/1", "", "there is no endpoint 9: the router has endpoints from 0 to 3"}
	if diff := cmp.Diff(want, got); diff != "" || r.Answers[0].Own != nil || r.Answers[1].Own == nil {
		t.Errorf("reasons (-want +got):\n%s", diff)
	}
	var table strings.Builder
	if err := r.Table(&table); err != nil || !strings.Contains(table.String(), "\nendpoint 0, prefill/0: not possible, as decode-filter removed it") || !strings.Contains(table.String(), "\nendpoint 9, –: not possible") {
		t.Errorf("error %v, table\n%s", err, &table)
	}
}

// A request without a pick has no alternatives.
func TestNoAlternativesWithoutAPick(t *testing.T) {
	m := makerOf(t, experimenttest.Run(t))
	if _, err := whatif.AskAbout(t.Context(), m, []int{3, 400}, options); !errors.Is(err, whatif.ErrNoPick) || !strings.Contains(err.Error(), "request 400") {
		t.Errorf("error %v", err)
	}
	alone := makerOf(t, experimenttest.Run(t), func(s *v1alpha1.Scenario) { s.Pools[0].Replicas = 1 })
	var table strings.Builder
	r := mustAskAbout(t, alone, 3)
	if err := r.Table(&table); err != nil || len(r.Answers) > 0 || !strings.Contains(table.String(), "llama/0 was the only candidate.") {
		t.Errorf("%v: %s", err, &table)
	}
}
