// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/simulation"
)

// adaptedBy puts a law and a gate before the router; the parameters are names and values
// in turn.
func adaptedBy(law string, parameters ...string) func(*v1alpha1.Scenario) {
	return func(s *v1alpha1.Scenario) {
		s.Router.Admission = &v1alpha1.GatewayPolicy{Policy: "saturation"}
		s.Router.Adaptive = &v1alpha1.GatewayPolicy{Policy: law, Parameters: map[string]v1alpha1.PolicyParameter{}}
		for i := 0; i < len(parameters); i += 2 {
			s.Router.Adaptive.Parameters[parameters[i]] = v1alpha1.PolicyParameter(parameters[i+1])
		}
	}
}

// threeToTwo is a weighted policy of 3:2.
func threeToTwo(s *v1alpha1.Scenario) {
	routedBy(weightedBy(v1alpha1.RoutingScorer{Name: "prefix-affinity", Weight: "3"}, v1alpha1.RoutingScorer{Name: "load-seed", Weight: "2"}))(s)
}

// both are edits one after the other.
func all(edits ...func(*v1alpha1.Scenario)) func(*v1alpha1.Scenario) {
	return func(s *v1alpha1.Scenario) {
		for _, edit := range edits {
			edit(s)
		}
	}
}

func withPicker(text string) func(*v1alpha1.Scenario) {
	return func(s *v1alpha1.Scenario) {
		text := "apiVersion: llm-d.ai/v1alpha1\nkind: EndpointPickerConfig\n" + text
		s.Router.EndpointPickerConfig = v1alpha1.EndpointPickerConfig{Version: "router-v0.10", Inline: &text}
	}
}

const twoProfiles = `
plugins:
- {name: prefix, type: prefix-cache-scorer}
- {name: queue, type: queue-scorer}
- {name: kv, type: kv-cache-utilization-scorer}
- {name: session, type: session-affinity-scorer}
- type: max-score-picker
schedulingProfiles:
- name: default
  plugins:
  - {pluginRef: prefix, weight: 3}
  - {pluginRef: queue, weight: 1}
  - {pluginRef: kv, weight: 3}
  - {pluginRef: session, weight: 1}
  - {pluginRef: max-score-picker}
`

// weightsOf describes what an adaptation knows of the weights.
func weightsOf(c simulator.Config) string {
	var texts []string
	for _, a := range c.Policies.Adaptations {
		text := a.Model + a.Law
		for _, w := range a.Last {
			text += fmt.Sprintf(" %s %g", strings.TrimPrefix(w.Profile+"/"+w.Scorer, "/"), w.Weight)
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, "; ")
}

func TestAdaptiveWeightsOfRouters(t *testing.T) {
	for name, tc := range map[string]struct {
		edit func(*v1alpha1.Scenario)
		want string
	}{
		"a native policy":        {all(threeToTwo, adaptedBy("pi")), "pi prefix-affinity 3 load-seed 2"},
		"several native routers": {all(threeToTwo, adaptedBy("pi"), func(s *v1alpha1.Scenario) { s.Router.Replicas = 3 }), "pi prefix-affinity 3 load-seed 2"},
		"an EPP":                 {all(withPicker(twoProfiles), adaptedBy("bang-bang")), "bang-bang default/prefix 3 default/queue 1 default/kv 3 default/session 1"},
		"several EPPs":           {all(withPicker(twoProfiles), adaptedBy("bang-bang"), func(s *v1alpha1.Scenario) { s.Router.Replicas = 2 }), "bang-bang default/prefix 3 default/queue 1 default/kv 3 default/session 1"},
		"EXP3 without a gate":    {all(threeToTwo, adaptedBy("exp3", "grid", "1,3"), func(s *v1alpha1.Scenario) { s.Router.Admission = nil }), "exp3 prefix-affinity 3 load-seed 2"},
		"an EPP sheds by itself": {all(withPicker(twoProfiles), adaptedBy("pi"), func(s *v1alpha1.Scenario) { s.Router.Admission = nil }), "pi default/prefix 3 default/queue 1 default/kv 3 default/session 1"},
		"nothing is adaptive":    {threeToTwo, ""},
	} {
		t.Run(name, func(t *testing.T) {
			c := mustBuild(t, tc.edit)
			if got := weightsOf(c); got != tc.want {
				t.Errorf("%s, want %s", got, tc.want)
			}
			if (c.Policies.Traffic != nil) != (tc.want != "") {
				t.Errorf("the gateway counts: %t", c.Policies.Traffic != nil)
			}
		})
	}
}

// The scorers of load keep their shares when the law gives both less.
func TestTheLawDrivesTheProfile(t *testing.T) {
	c := mustBuild(t, all(withPicker(twoProfiles), adaptedBy("bang-bang", "epochRequests", "1")))
	traffic, admission := c.Policies.Traffic, c.Policies.Admission
	for id := range 2 {
		q := policy.Request{ID: id}
		view := &policy.View{Scrapes: make([]policy.Scrape, 2), Traffic: traffic}
		traffic.Arrive(0, &q)
		admission.Admit(view, &q)
		traffic.Reject(0, &q)
	}
	if got, want := weightsOf(c), "bang-bang default/prefix 2.5 default/queue 1.125 default/kv 3.375 default/session 1"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A router whose weights a law sets to what they are decides as one without a law.
func TestALawThatChangesNothing(t *testing.T) {
	for name, router := range map[string]func(*v1alpha1.Scenario){"native": threeToTwo, "EPP": withPicker(twoProfiles)} {
		t.Run(name, func(t *testing.T) {
			run := func(edit func(*v1alpha1.Scenario)) []string {
				c := mustBuild(t, all(router, edit, func(s *v1alpha1.Scenario) {
					s.Workload.Clients[0].Prefix = &v1alpha1.Prefix{Group: "g", Tokens: 256}
				}))
				var ends []string
				c.Ended = func(e simulator.RequestEnd) { ends = append(ends, fmt.Sprintf("%+v", e)) }
				if _, err := simulation.Run(t.Context(), c); err != nil {
					t.Fatal(err)
				}
				return ends
			}
			without := run(func(s *v1alpha1.Scenario) { s.Router.Admission = &v1alpha1.GatewayPolicy{Policy: "saturation"} })
			with := run(adaptedBy("bang-bang", "low", "0", "high", "1", "epochRequests", "5"))
			if len(without) < 40 || strings.Join(without, "\n") != strings.Join(with, "\n") {
				t.Errorf("%d requests end otherwise than without the law, or there are too few", len(with))
			}
		})
	}
}

func TestFaultsOfAdaptiveWeights(t *testing.T) {
	const at = "spec.scenario.router.adaptive."
	for name, tc := range map[string]struct {
		edit func(*v1alpha1.Scenario)
		want string
	}{
		"an unknown law":         {all(threeToTwo, adaptedBy("p")), at + `policy: Invalid value: "p": unknown law`},
		"no rejections to learn": {all(threeToTwo, adaptedBy("pi"), func(s *v1alpha1.Scenario) { s.Router.Admission = nil }), at + `policy: Invalid value: "pi": learns from rejections, and a native policy rejects no request`},
		"no weights":             {all(routedBy(v1alpha1.RoutingPolicy{Policy: "random"}), adaptedBy("pi")), at + `policy: Invalid value: "pi": the router has no weights`},
		"an unknown scorer":      {all(threeToTwo, adaptedBy("pi", "load", "queue-depth")), at + `parameters[load]: Invalid value: "queue-depth": unknown scorer; there are load-seed, prefix-affinity`},
		"a cap below the start":  {all(threeToTwo, adaptedBy("pi", "cap", "4:3")), at + `parameters[cap]: Invalid value: "4:3": the weights start above the cap, at 3:2`},
		"a closed loop":          {all(threeToTwo, adaptedBy("pi", "cap", "workload"), closeLoop), at + `parameters[cap]: Invalid value: "workload": 1/m follows from the rate of arrivals`},
	} {
		t.Run(name, func(t *testing.T) {
			_, errs := build(t, tc.edit)
			if len(errs) != 1 || !strings.HasPrefix(errs[0], tc.want) {
				t.Errorf("got %q, want %s…", errs, tc.want)
			}
		})
	}
}

func closeLoop(s *v1alpha1.Scenario) {
	client := &s.Workload.Clients[0]
	client.Arrivals, client.ClosedLoop = v1alpha1.Arrivals{}, &v1alpha1.ClosedLoop{Concurrency: 4}
}

// A prefix of 320 of 640 tokens that overloads a replica: the cap is 2, and just below. At
// a rate that one replica serves there is none.
func TestTheCapOfAWorkload(t *testing.T) {
	hot := func(rate v1alpha1.PositiveDecimal) func(*v1alpha1.Scenario) {
		return func(s *v1alpha1.Scenario) {
			s.Pools[0].Replicas = 4
			client := &s.Workload.Clients[0]
			client.Arrivals = v1alpha1.Arrivals{Process: v1alpha1.PoissonArrivals, Rate: rate}
			client.Prefix = &v1alpha1.Prefix{Group: "g", Tokens: 320}
			client.InputTokens = v1alpha1.Lengths{Distribution: v1alpha1.ConstantLengths, Mean: "320", Min: 1}
		}
	}
	drift := adaptedBy("bang-bang", "exploreWithoutSignal", "true", "cap", "workload", "epochRequests", "5")
	for rate, want := range map[v1alpha1.PositiveDecimal]float64{"4000": 1.998, "1": 2.5} {
		c := mustBuild(t, all(threeToTwo, hot(rate), drift))
		traffic := c.Policies.Traffic
		for id := range 100 {
			q := policy.Request{ID: id}
			traffic.Arrive(0, &q)
			c.Policies.Admission.Admit(&policy.View{Scrapes: make([]policy.Scrape, 4), Traffic: traffic}, &q)
		}
		last := c.Policies.Adaptations[0].Last
		if got := last[0].Weight / last[1].Weight; math.Abs(got-want) > 1e-9 {
			t.Errorf("at %s/s the ratio grows up to %v, want %v", rate, got, want)
		}
	}
}
