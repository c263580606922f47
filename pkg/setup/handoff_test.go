// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/testing/builder"
	"windtunnel.dev/windtunnel/pkg/kv/transfer"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

func TestBuildHandoff(t *testing.T) {
	network := transfer.Station{Latency: 50 * time.Microsecond, BytesPerSecond: 50e9}
	// The latency is that of the way from one replica to the other.
	arrives := transfer.Station{BytesPerSecond: 50e9}
	for name, tc := range map[string]struct {
		in   *v1alpha1.Disaggregation
		want simulator.Handoff
	}{
		"defaults": {nil, simulator.Handoff{Egress: network, Ingress: arrives, Granularity: simulator.GranularityChunk}},
		"all of it": {
			&v1alpha1.Disaggregation{
				Network:     v1alpha1.Link{Device: "network-200gbit", Latency: "1ms"},
				Granularity: "Stream", Pipelining: &v1alpha1.Pipelining{StartShare: "0.25"},
				Ownership: "SingleOwnerSeed", MaxPendingHandoffs: 7,
			},
			simulator.Handoff{
				Egress:      transfer.Station{Latency: time.Millisecond, BytesPerSecond: 25e9},
				Ingress:     transfer.Station{BytesPerSecond: 25e9},
				Granularity: simulator.GranularityStream, StartShare: 0.25, SingleOwner: true, MaxPending: 7,
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := mustBuild(t, func(s *v1alpha1.Scenario) {
				builder.SplitPools(v1alpha1.PrefillRole, v1alpha1.DecodeRole)(s)
				s.Disaggregation = tc.in
			}).Handoff
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("hand-over (−want +got):\n%s", diff)
			}
		})
	}
	idle := func(s *v1alpha1.Scenario) { s.Disaggregation = &v1alpha1.Disaggregation{} }
	m := buildValid(t, idle)
	if got := m.config.Handoff; got != (simulator.Handoff{}) {
		t.Errorf("a router that hands nothing over has %+v", got)
	}
	want := []string{"spec.scenario.disaggregation: has no effect, because the router never hands a prompt over"}
	if diff := cmp.Diff(want, Notes(m.in, nil, &m.config, nil, spec)); diff != "" {
		t.Errorf("warnings (−want +got):\n%s", diff)
	}
}

func TestEndpointLabels(t *testing.T) {
	pools := []v1alpha1.Pool{
		{Role: v1alpha1.PrefillRole, Replicas: 2, Labels: map[string]v1alpha1.LabelValue{"zone": "east"}},
		{Replicas: 1},
		{Role: v1alpha1.BothRole, Replicas: 1},
	}
	prefill := map[string]string{"llm-d.ai/role": "prefill", "zone": "east"}
	want := []map[string]string{prefill, prefill, nil, {"llm-d.ai/role": "both"}}
	if diff := cmp.Diff(want, endpointLabels(&v1alpha1.Scenario{Pools: pools})); diff != "" {
		t.Errorf("labels (−want +got):\n%s", diff)
	}
	if got := endpointLabels(&v1alpha1.Scenario{Pools: pools[1:2]}); got != nil {
		t.Errorf("pools without labels give %v", got)
	}
}

func TestHandoffValidation(t *testing.T) {
	const prefill, decode, both = v1alpha1.PrefillRole, v1alpha1.DecodeRole, v1alpha1.BothRole
	roles := func(roles ...v1alpha1.Role) func(*v1alpha1.Scenario) {
		return builder.SplitPools(roles...)
	}
	for name, tc := range map[string]struct {
		edit       func(*v1alpha1.Scenario)
		path, text string // of the fault; empty where there is none
	}{
		"one of each":                       {edit: roles(prefill, decode)},
		"both alone":                        {edit: roles(both)},
		"prefill beside both":               {edit: roles(prefill, both)},
		"decode beside both":                {edit: roles(decode, both)},
		"prefill beside a pool without one": {edit: roles(prefill, "")},
		"prefill alone":                     {roles(prefill), "pools[0].role", "add a pool of role Decode"},
		"decode alone":                      {roles(decode), "pools[0].role", "add a pool of role Prefill"},
		"decode beside a pool without one":  {roles("", decode), "pools[1].role", "add a pool of role Prefill"},
		"no roles, and a router that hands over": {func(s *v1alpha1.Scenario) {
			builder.SplitPools("")(s)
			s.Pools[0].Labels = map[string]v1alpha1.LabelValue{"zone": "east"}
			s.Router.EndpointPickerConfig.Inline = ptr.To(strings.Replace(*s.Router.EndpointPickerConfig.Inline, "- type: prefill-filter",
				"- {name: prefill-filter, type: by-label, parameters: {label: zone, validValues: [east]}}", 1))
		}, "router.endpointPickerConfig", "no pool has role Prefill or Both"},
		"roles, and a router that hands nothing over": {func(s *v1alpha1.Scenario) {
			router := s.Router
			builder.SplitPools(prefill, decode)(s)
			s.Router = router
		}, "pools[1].role", "add a disagg-profile-handler"},
		"roles, and a policy that chooses for each stage": {edit: func(s *v1alpha1.Scenario) {
			builder.SplitPools(prefill, decode)(s)
			routedBy(v1alpha1.RoutingPolicy{Policy: "least-loaded"})(s)
		}},
		"roles, and a handler that no decider asks": {func(s *v1alpha1.Scenario) {
			builder.SplitPools(prefill, decode)(s)
			s.Router.EndpointPickerConfig.Inline = ptr.To(strings.ReplaceAll(*s.Router.EndpointPickerConfig.Inline, "  parameters: {deciders: {prefill: always-disagg-pd-decider}}\n", ""))
		}, "pools[0].role", "with a decider"},
		"blocks of two sizes": {func(s *v1alpha1.Scenario) {
			builder.SplitPools(prefill, decode)(s)
			s.Pools[1].Engine.BlockSize = 32
		}, "pools[1].engine.blockSize", "blocks of pool pprefill have 16 tokens"},
		"KV in two formats": {func(s *v1alpha1.Scenario) {
			builder.SplitPools(decode, prefill)(s)
			s.Pools[0].Quantization.KVCache = "fp8"
		}, "pools[0].quantization.kvCache", "the format of pool pprefill is bf16"},
		"one format by two names": {edit: func(s *v1alpha1.Scenario) {
			builder.SplitPools(decode, prefill)(s)
			s.Pools[0].Quantization.KVCache = "bf16"
		}},
		"a network that there is none of": {func(s *v1alpha1.Scenario) {
			builder.SplitPools(prefill, decode)(s)
			s.Disaggregation = &v1alpha1.Disaggregation{Network: v1alpha1.Link{Device: "network-1gbit"}}
		}, "disaggregation.network.device", `"network-400gbit"`},
		"a label that is none": {func(s *v1alpha1.Scenario) {
			s.Pools[0].Labels = map[string]v1alpha1.LabelValue{"a b": "c"}
		}, "pools[0].labels", "name part must consist of"},
	} {
		t.Run(name, func(t *testing.T) {
			_, errs := build(t, tc.edit)
			if tc.path != "" {
				wantFault(t, errs, "spec.scenario."+tc.path, tc.text)
			} else if len(errs) > 0 {
				t.Errorf("faults are %q", errs)
			}
		})
	}
}

// A policy of Windtunnel's own chooses for each stage where pools do half of the work, and for
// whole requests where none does. An explanation has a profile for each stage, that of decode last.
func TestPoliciesRouteBothStages(t *testing.T) {
	const prefill, decode, both = v1alpha1.PrefillRole, v1alpha1.DecodeRole, v1alpha1.BothRole
	for name, tc := range map[string]struct {
		roles    []v1alpha1.Role
		replicas int32
		want     policy.Route
		profiles []string
	}{
		"prefill and decode": {[]v1alpha1.Role{prefill, decode}, 1, policy.Route{Endpoint: 1, Prefill: 0}, []string{"least-loaded prefill", "least-loaded decode"}},
		"several routers":    {[]v1alpha1.Role{prefill, decode}, 2, policy.Route{Endpoint: 1, Prefill: 0}, []string{"least-loaded prefill", "least-loaded decode"}},
		"no role is decode":  {[]v1alpha1.Role{"", prefill}, 1, policy.Route{Endpoint: 0, Prefill: 1}, []string{"least-loaded prefill", "least-loaded decode"}},
		"whole requests":     {[]v1alpha1.Role{both}, 1, policy.To(0), []string{"least-loaded"}},
	} {
		t.Run(name, func(t *testing.T) {
			config := mustBuild(t, func(s *v1alpha1.Scenario) {
				builder.SplitPools(tc.roles...)(s)
				routedBy(v1alpha1.RoutingPolicy{Policy: "least-loaded"})(s)
				s.Router.Replicas = tc.replicas
				for i := range s.Pools {
					s.Pools[i].Replicas = 1
				}
			})
			router := config.Policies.Routing.Router
			var profiles []string
			var about scheduler.Explanation
			router.(explaining).Explain(func(x *scheduler.Explanation) {
				about = *x
				for i := range x.Profiles {
					profiles = append(profiles, x.Profiles[i].Profile)
				}
			})
			to, err := router.Route(&policy.View{Scrapes: make([]policy.Scrape, len(tc.roles))}, &policy.Request{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, to); diff != "" {
				t.Errorf("route (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.profiles, profiles); diff != "" {
				t.Errorf("profiles (-want +got):\n%s", diff)
			}
			if handed := about.Prefill != nil; handed != (to.Prefill != policy.NoPrefill) || *about.Endpoint != to.Endpoint || *about.Primary().Chosen != to.Endpoint {
				t.Errorf("the explanation says %v, %v", about.Prefill, *about.Endpoint)
			}
			if handsOver := config.Handoff.Egress.BytesPerSecond > 0; handsOver != (to.Prefill != policy.NoPrefill) {
				t.Errorf("the way of KV is %+v", config.Handoff)
			}
		})
	}
}
