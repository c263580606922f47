// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// tenantScenario is a scenario of two tenants, of which the first has a client of each kind.
func tenantScenario(tenant v1alpha1.Tenant) *v1alpha1.Scenario {
	tenant.Name = "gold"
	single, turns, loop, other := plainClient(), plainClient(), plainClient(), plainClient()
	single.Name, single.Tenant, single.Priority, single.Class = "single", "gold", 3, "own"
	single.Arrivals = v1alpha1.Arrivals{Process: v1alpha1.PoissonArrivals, Stages: []v1alpha1.RateStage{{Rate: "2", RampTo: "3", Duration: "1m"}}}
	turns.Name, turns.Tenant = "turns", "gold"
	turns.Prefix = &v1alpha1.Prefix{Group: "g", Tokens: 8, Groups: &v1alpha1.PrefixGroups{Count: 2, Correlation: "0"}}
	turns.Sessions = &v1alpha1.Sessions{Turns: turns.OutputTokens}
	loop.Name, loop.Tenant, loop.Arrivals = "loop", "gold", v1alpha1.Arrivals{}
	loop.ClosedLoop = &v1alpha1.ClosedLoop{Concurrency: 5}
	other.Name, other.Tenant = "other", "free"
	return &v1alpha1.Scenario{Workload: v1alpha1.Workload{
		Tenants: []v1alpha1.Tenant{tenant}, Clients: []v1alpha1.Client{single, turns, loop, other},
	}}
}

func TestATenantStatesWhatItsClientsHave(t *testing.T) {
	large := v1alpha1.Lengths{Distribution: v1alpha1.LogNormalLengths, Mean: "8000", StdDev: "8000", Min: 1}
	type clients = []v1alpha1.Client
	for name, tc := range map[string]struct {
		tenant v1alpha1.Tenant
		want   func(clients)
	}{
		"nothing":  {v1alpha1.Tenant{}, func(clients) {}},
		"priority": {v1alpha1.Tenant{Priority: ptr.To(int32(-2))}, func(c clients) { c[0].Priority, c[1].Priority, c[2].Priority = -2, -2, -2 }},
		"class":    {v1alpha1.Tenant{Class: "fast"}, func(c clients) { c[0].Class, c[1].Class, c[2].Class = "fast", "fast", "fast" }},
		"weight": {v1alpha1.Tenant{Weight: "1.1"}, func(c clients) {
			c[0].Arrivals.Stages[0].Rate, c[0].Arrivals.Stages[0].RampTo = "2.2", "3.3"
			c[1].Arrivals.Rate, c[2].ClosedLoop.Concurrency = "6.6", 6
		}},
		"a small weight": {v1alpha1.Tenant{Weight: "0.001"}, func(c clients) {
			c[0].Arrivals.Stages[0].Rate, c[0].Arrivals.Stages[0].RampTo = "0.002", "0.003"
			c[1].Arrivals.Rate, c[2].ClosedLoop.Concurrency = "0.006", 1
		}},
		"prompts": {v1alpha1.Tenant{Archetype: &v1alpha1.Archetype{PromptSize: v1alpha1.LargePrompts}}, func(c clients) {
			c[0].InputTokens, c[1].InputTokens, c[2].InputTokens = large, large, large
		}},
		"affinity": {v1alpha1.Tenant{Archetype: &v1alpha1.Archetype{PrefixAffinity: "0.5"}}, func(c clients) { c[1].Prefix.Groups.Correlation = "0.5" }},
		"bursts": {v1alpha1.Tenant{Archetype: &v1alpha1.Archetype{BurstCV: "3"}}, func(c clients) {
			c[0].Arrivals.Process, c[0].Arrivals.CV = v1alpha1.WeibullArrivals, "3"
			c[1].Arrivals.Process, c[1].Arrivals.CV = v1alpha1.WeibullArrivals, "3"
		}},
		"turns": {v1alpha1.Tenant{Archetype: &v1alpha1.Archetype{MeanTurns: "7"}}, func(c clients) {
			c[1].Sessions.Turns = v1alpha1.Lengths{Distribution: v1alpha1.ExponentialLengths, Mean: "7", Min: 1}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			stated := tenantScenario(tc.tenant)
			before := stated.DeepCopy()
			if errs := ValidateTenants(&stated.Workload, nil); len(errs) > 0 {
				t.Fatal(errs)
			}
			got := WithTenants(stated)
			if diff := cmp.Diff(before, stated); diff != "" {
				t.Errorf("the scenario has changed:\n%s", diff)
			}
			want := tenantScenario(v1alpha1.Tenant{})
			tc.want(want.Workload.Clients)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("scenario (−want +got):\n%s", diff)
			}
			if diff := cmp.Diff(got, WithTenants(got)); diff != "" {
				t.Errorf("the second time changes it:\n%s", diff)
			}
		})
	}
}

func TestTargetsOfTenants(t *testing.T) {
	in := &v1alpha1.Workload{Tenants: []v1alpha1.Tenant{
		{Name: "free"}, {Name: "gold", SLO: &v1alpha1.LatencyTargets{TTFT: "200ms", E2E: "9s"}},
	}}
	classes := []simulator.Target{{TTFT: time.Second, TPOT: time.Millisecond}}
	got, errs := buildTenantTargets(in, classes, []string{"free", "gold", "x"}, 2, nil)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	want := [][]simulator.Target{nil, {
		{TTFT: 200 * time.Millisecond, TPOT: time.Millisecond, E2E: 9 * time.Second},
		{TTFT: 200 * time.Millisecond, E2E: 9 * time.Second},
	}, nil}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("targets (−want +got):\n%s", diff)
	}
	if _, errs := buildTenantTargets(in, classes, []string{"free"}, 1, field.NewPath("w")); len(errs) != 1 || errs[0].Field != "w.tenants[1].name" {
		t.Errorf("faults %v of targets of a tenant that no request has", errs)
	}
}

func TestTraitsThatChangeNothingAreFaults(t *testing.T) {
	trait := func(a v1alpha1.Archetype) v1alpha1.Tenant { return v1alpha1.Tenant{Archetype: &a} }
	for name, tc := range map[string]struct {
		tenant v1alpha1.Tenant
		edit   func(*v1alpha1.Workload)
		want   string
	}{
		"nobody's": {v1alpha1.Tenant{}, func(w *v1alpha1.Workload) { w.Clients = w.Clients[3:] }, "w.tenants[0].name: Invalid value: \"gold\": no client names this tenant"},
		"only of a trace": {v1alpha1.Tenant{Weight: "2"}, func(w *v1alpha1.Workload) { w.Clients, w.Trace = nil, &v1alpha1.Trace{} },
			"w.tenants[0]: Invalid value: \"gold\": no client names this tenant, and of a trace's tenant"},
		"no groups":          {trait(v1alpha1.Archetype{PrefixAffinity: "1"}), func(w *v1alpha1.Workload) { w.Clients[1].Prefix = nil }, "w.tenants[0].archetype.prefixAffinity: "},
		"no Poisson":         {trait(v1alpha1.Archetype{BurstCV: "2"}), func(w *v1alpha1.Workload) { w.Clients = w.Clients[2:] }, "w.tenants[0].archetype.burstCV: "},
		"no sessions":        {trait(v1alpha1.Archetype{MeanTurns: "2"}), func(w *v1alpha1.Workload) { w.Clients[1].Sessions = nil }, "w.tenants[0].archetype.meanTurns: "},
		"less than one turn": {trait(v1alpha1.Archetype{MeanTurns: "0.5"}), func(*v1alpha1.Workload) {}, "w.tenants[0].archetype.meanTurns: Invalid value: \"0.5\": must be at least 1"},
		"an affinity over 1": {trait(v1alpha1.Archetype{PrefixAffinity: "1.5"}), func(*v1alpha1.Workload) {}, "w.tenants[0].archetype.prefixAffinity: Invalid value: \"1.5\": must be at most 1"},
	} {
		t.Run(name, func(t *testing.T) {
			in := tenantScenario(tc.tenant)
			tc.edit(&in.Workload)
			errs := ValidateTenants(&in.Workload, field.NewPath("w"))
			if len(errs) != 1 || !strings.HasPrefix(errs[0].Error(), tc.want) {
				t.Errorf("faults %v, want %q", errs, tc.want)
			}
		})
	}
}

// TestAPathReachesTenants decodes a scenario in which a sweep has assigned a tenant's weight.
func TestAPathReachesTenants(t *testing.T) {
	stated := tenantScenario(v1alpha1.Tenant{Weight: "1"})
	var root Tree
	if err := json.Unmarshal(mustJSON(stated), &root); err != nil {
		t.Fatal(err)
	}
	root["workload"].(Tree)["tenants"].([]any)[0].(Tree)["weight"] = "2"
	got, err := DecodeScenario(root)
	if err != nil {
		t.Fatal(err)
	}
	if rate := got.Workload.Clients[1].Arrivals.Rate; rate != "12" {
		t.Errorf("rate %s of a client with rate 6 whose tenant has weight 2", rate)
	}
}
