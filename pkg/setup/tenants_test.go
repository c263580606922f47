// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/testing/jsontest"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
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
			want := tenantScenario(v1alpha1.Tenant{Priority: tc.tenant.Priority, Class: tc.tenant.Class})
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
	got := buildTenantTargets(in, classes, []string{"free", "gold", "x"}, 2)
	want := [][]simulator.Target{nil, {
		{TTFT: 200 * time.Millisecond, TPOT: time.Millisecond, E2E: 9 * time.Second},
		{TTFT: 200 * time.Millisecond, E2E: 9 * time.Second},
	}, nil}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("targets (−want +got):\n%s", diff)
	}
	if got := buildTenantTargets(in, classes, []string{"free"}, 1); got != nil {
		t.Errorf("targets %v of a tenant that no request has", got)
	}
}

// TestATenantStatesWhatTheRowsOfATraceHave replays two rows, of which one names its tenant.
func TestATenantStatesWhatTheRowsOfATraceHave(t *testing.T) {
	rows := "{\"windtunnel_trace\":1}\n{\"arrival_ns\":0,\"input_tokens\":4,\"output_tokens\":1,\"tenant\":\"gold\",\"priority\":7}\n" +
		"{\"arrival_ns\":1,\"input_tokens\":4,\"output_tokens\":1}\n"
	recorded, err := trace.Read(trace.Windtunnel, strings.NewReader(rows), "rows")
	if err != nil {
		t.Fatal(err)
	}
	traces := trace.Set{"": recorded}
	for name, tc := range map[string]struct {
		tenant, of string
		want       []string
	}{
		"the tenant of a row":    {"gold", "free", []string{"gold vip 5", "free default 1"}},
		"the tenant of a trace":  {"free", "free", []string{"gold default 7", "free vip 5"}},
		"the tenant of all rows": {"gold", "gold", []string{"gold vip 5", "gold vip 5"}},
	} {
		t.Run(name, func(t *testing.T) {
			in := &v1alpha1.Workload{
				Tenants: []v1alpha1.Tenant{{Name: tc.tenant, Priority: ptr.To(int32(5)), Class: "vip"}},
				Trace:   &v1alpha1.Trace{Tenant: tc.of, Class: "default", Priority: 1, RateScale: "1", Arrivals: v1alpha1.ArrivalsAsRecorded},
			}
			source, errs := buildSource(in, servedModels{names: []string{"m"}}, traces, 1, nil)
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			var got []string
			for r, ok := source.Next(); ok; r, ok = source.Next() {
				labels := source.Labels()
				got = append(got, fmt.Sprintf("%s %s %d", labels.Tenants[r.Tenant], labels.Classes[r.Class], r.Priority))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("requests (−want +got):\n%s", diff)
			}
			if got := priorities(in); !slices.Contains(got, 5) {
				t.Errorf("the router knows the priorities %v, want 5 among them", got)
			}
		})
	}
}

// TestAPathReachesTenants decodes a scenario in which a sweep has assigned a tenant's weight.
func TestAPathReachesTenants(t *testing.T) {
	stated := tenantScenario(v1alpha1.Tenant{Weight: "1"})
	root := jsontest.Decode[Tree](t, TreeJSON(stated))
	root["workload"].(Tree)["tenants"].([]any)[0].(Tree)["weight"] = "2"
	got, err := DecodeScenario(root)
	if err != nil {
		t.Fatal(err)
	}
	if rate := got.Workload.Clients[1].Arrivals.Rate; rate != "12" {
		t.Errorf("rate %s of a client with rate 6 whose tenant has weight 2", rate)
	}
}
