// SPDX-License-Identifier: Apache-2.0

package whatif_test

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
	"windtunnel.dev/windtunnel/pkg/experiment/whatif"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/simulation"
)

// whole is a simulation to its end.
type whole struct {
	outcome *simulator.Result
	ends    []simulator.RequestEnd
}

// simulateWhole simulates to the end with a force, which may be nil.
func simulateWhole(t *testing.T, m whatif.Maker, force policy.Force) whole {
	t.Helper()
	c, err := m()
	if err != nil {
		t.Fatal(err)
	}
	var w whole
	c.Ended = func(e simulator.RequestEnd) { w.ends = append(w.ends, e) }
	c.Policies.Routing.Router.(policy.Forcible).Force(force)
	if w.outcome, err = simulation.Run(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	return w
}

// to forces a request to an endpoint.
func to(request, endpoint int) policy.Force {
	return func(id int, _ []int, chosen int) int {
		if id == request {
			return endpoint
		}
		return chosen
	}
}

// scenarios are of routers of all kinds.
func scenarios(t *testing.T) map[string]whatif.Maker {
	four := func(s *v1alpha1.Scenario) { s.Pools[0].Replicas = 4 }
	short := func(s *v1alpha1.Scenario) { s.Horizon.Requests, s.Horizon.Duration = new(int64(150)), "" }
	return map[string]whatif.Maker{
		"an EPP":         makerOf(t, experimenttest.Run(t), four),
		"several EPPs":   makerOf(t, experimenttest.Run(t), four, func(s *v1alpha1.Scenario) { s.Router.Replicas = 3 }),
		"a policy":       makerOf(t, experimenttest.Run(t), four, by("prefix-affinity")),
		"several models": makerOf(t, sample(t, "simulationrun-two-models.yaml"), short),
		"disaggregation": makerOf(t, sample(t, "simulationrun-disaggregated.yaml"), short),
		"a closed loop":  makerOf(t, sample(t, "simulationrun-closed-loop.yaml"), short),
		"sessions":       makerOf(t, sample(t, "simulationrun-sessions.yaml"), short),
		"adaptive":       makerOf(t, sample(t, "simulationrun-adaptive.yaml"), short),
		"stability":      makerOf(t, sample(t, "simulationrun-stability.yaml"), short),
		"scalers":        makerOf(t, sample(t, "simulationrun-autoscaling.yaml"), short),
	}
}

// A pick that is forced to be what it is gives the same run to the last bit; another one
// changes nothing that is over before.
func TestForcedPicksInWholeRuns(t *testing.T) {
	for name, m := range scenarios(t) {
		t.Run(name, func(t *testing.T) {
			const request = 25
			want := simulateWhole(t, m, nil)
			r := mustAskAbout(t, m, request)
			got := simulateWhole(t, m, to(request, r.Picks[0].Endpoint))
			if diff := cmp.Diff(want, got, cmp.Exporter(func(reflect.Type) bool { return true })); diff != "" {
				t.Errorf("where the pick is forced to be what it is (-want +got):\n%s", diff)
			}
			at := arrivalOf(t, want, request)
			for _, a := range r.Answers {
				other := simulateWhole(t, m, to(request, a.Endpoint))
				if diff := cmp.Diff(before(want, at), before(other, at)); diff != "" {
					t.Errorf("before a pick of %s (-want +got):\n%s", a.Name, diff)
				}
			}
		})
	}
}

func arrivalOf(t *testing.T, w whole, request int) simtime.Time {
	t.Helper()
	for _, e := range w.ends {
		if e.ID == request {
			return e.Arrival
		}
	}
	t.Fatalf("request %d does not end", request)
	return 0
}

// before are the ends before a time.
func before(w whole, at simtime.Time) []simulator.RequestEnd {
	return slices.DeleteFunc(slices.Clone(w.ends), func(e simulator.RequestEnd) bool { return e.End >= at })
}

// Answers are those of simulations to the end.
func TestAnswersAreThoseOfWholeRuns(t *testing.T) {
	for name, m := range scenarios(t) {
		t.Run(name, func(t *testing.T) {
			const request = 25
			o := options
			o.Window = 2 * time.Second
			r, err := whatif.AskAbout(t.Context(), m, []int{request}, o)
			if err != nil {
				t.Fatal(err)
			}
			picked := simulateWhole(t, m, nil)
			for _, a := range r.Answers {
				elsewhere := simulateWhole(t, m, to(request, a.Endpoint))
				from := arrivalOf(t, picked, request)
				until := from.Add(o.Window)
				own := func(e simulator.RequestEnd) bool { return e.ID == request }
				window := func(e simulator.RequestEnd) bool { return e.ID >= request && e.Arrival < until }
				same(t, a.Name+", own", a.Own, picked, elsewhere, own)
				same(t, a.Name+", window", a.Window, picked, elsewhere, window)
			}
		})
	}
}

// same compares a comparison with the plain means of two runs.
func same(t *testing.T, what string, got *whatif.Comparison, picked, elsewhere whole, counts func(simulator.RequestEnd) bool) {
	t.Helper()
	var want whatif.Comparison
	var p, e [2]float64
	want.Requests, want.CompletedAsPicked, p = plainMeans(picked, counts)
	_, want.CompletedElsewhere, e = plainMeans(elsewhere, counts)
	if got.Requests != want.Requests || got.CompletedAsPicked != want.CompletedAsPicked || got.CompletedElsewhere != want.CompletedElsewhere {
		t.Errorf("%s: %+v, want %+v", what, got, want)
	}
	for i, regret := range []whatif.Regret{got.TTFT, got.E2E} {
		if !near(*regret.AsPicked, p[i]) || !near(*regret.Elsewhere, e[i]) || !near(*regret.Seconds, p[i]-e[i]) {
			t.Errorf("%s: %v and %v, want %v and %v", what, *regret.AsPicked, *regret.Elsewhere, p[i], e[i])
		}
	}
}

func near(a, b float64) bool { return a-b < 1e-8 && b-a < 1e-8 }

// plainMeans are the TTFT and the E2E.
func plainMeans(w whole, counts func(simulator.RequestEnd) bool) (requests, completed int, means [2]float64) {
	for _, e := range w.ends {
		if !counts(e) {
			continue
		}
		requests++
		if e.Ended == "completed" {
			completed++
			means[0] += e.FirstToken.Sub(e.Arrival).Seconds()
			means[1] += e.End.Sub(e.Arrival).Seconds()
		}
	}
	means[0], means[1] = means[0]/float64(completed), means[1]/float64(completed)
	return requests, completed, means
}
