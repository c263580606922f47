// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

func TestLengthNotes(t *testing.T) {
	const lines = `{"timestamp":0,"input_length":100,"output_length":20,"hash_ids":[1]}
{"timestamp":10,"input_length":101,"output_length":20,"hash_ids":[2]}
{"timestamp":20,"input_length":500,"output_length":1,"hash_ids":[3]}
`
	recorded, err := trace.Read(trace.Mooncake, strings.NewReader(lines), "trace")
	if err != nil {
		t.Fatal(err)
	}
	replayed := func(s *v1alpha1.Scenario) {
		s.Workload = v1alpha1.Workload{Trace: &v1alpha1.Trace{Format: "Mooncake", RateScale: "1", Arrivals: "AsRecorded"}}
	}
	client := func(c v1alpha1.Client) func(*v1alpha1.Scenario) {
		return func(s *v1alpha1.Scenario) {
			s.Workload.Clients[0].InputTokens, s.Workload.Clients[0].OutputTokens, s.Workload.Clients[0].Prefix = c.InputTokens, c.OutputTokens, c.Prefix
		}
	}
	length := func(n int32) func(*v1alpha1.Scenario) {
		return func(s *v1alpha1.Scenario) { s.Pools[0].Engine.MaxModelLen = ptr.To(n) }
	}
	const whatFollows = ", prompt and answer together, more than the "
	for name, tc := range map[string]struct {
		client bool
		edits  []func(*v1alpha1.Scenario)
		want   []string
	}{
		"a trace that fits": {false, []func(*v1alpha1.Scenario){}, nil},
		"a trace of which some do not": {false, []func(*v1alpha1.Scenario){length(120)}, []string{
			"spec.scenario.workload.trace: 2 of 3 requests have more tokens, prompt and answer together, than the 120 that pool llama serves (spec.scenario.pools[0].engine.maxModelLen: maxModelLen): they are rejected",
		}},
		"of those that are simulated": {false, []func(*v1alpha1.Scenario){length(120), func(s *v1alpha1.Scenario) { s.Horizon.Requests = ptr.To[int64](2) }}, []string{
			"spec.scenario.workload.trace: 1 of 2 requests have more tokens, prompt and answer together, than the 120 that pool llama serves (spec.scenario.pools[0].engine.maxModelLen: maxModelLen): they are rejected",
		}},
		"of those that arrive before the horizon": {false, []func(*v1alpha1.Scenario){length(120), func(s *v1alpha1.Scenario) { s.Horizon.Requests, s.Horizon.Duration = nil, "20ms" }}, []string{
			"spec.scenario.workload.trace: 1 of 2 requests have more tokens, prompt and answer together, than the 120 that pool llama serves (spec.scenario.pools[0].engine.maxModelLen: maxModelLen): they are rejected",
		}},
		"the KV cache is smaller": {false, []func(*v1alpha1.Scenario){func(s *v1alpha1.Scenario) { s.Pools[0].KVCache.Blocks = ptr.To[int32](9) }}, []string{
			"spec.scenario.workload.trace: 1 of 3 requests have more tokens, prompt and answer together, than the 129 that pool llama serves (spec.scenario.pools[0].kvCache: the capacity of all KV blocks of a replica): they are rejected",
		}},
		"a client's greatest lengths": {true, []func(*v1alpha1.Scenario){client(v1alpha1.Client{
			InputTokens:  v1alpha1.Lengths{Distribution: "Normal", Mean: "100", StdDev: "10", Min: 1, Max: ptr.To[int32](200_000)},
			OutputTokens: v1alpha1.Lengths{Distribution: "Constant", Mean: "30", Min: 1},
			Prefix:       &v1alpha1.Prefix{Group: "a", Tokens: 1000},
		})}, []string{
			"spec.scenario.workload.clients[0]: requests have up to 201030 tokens" + whatFollows + "131072 that pool llama serves (spec.scenario.pools[0].model: the model's context): longer requests are rejected",
		}},
		"a client without a bound": {true, []func(*v1alpha1.Scenario){client(v1alpha1.Client{
			InputTokens:  v1alpha1.Lengths{Distribution: "Exponential", Mean: "100000", Min: 1},
			OutputTokens: v1alpha1.Lengths{Distribution: "Constant", Mean: "30", Min: 1},
		})}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			m := buildValid(t, func(s *v1alpha1.Scenario) {
				for _, edit := range tc.edits {
					edit(s)
				}
			})
			if !tc.client {
				replayed(m.in)
			}
			if diff := cmp.Diff(tc.want, lengthNotes(m.in, &m.config, trace.Set{"": recorded}, spec)); diff != "" {
				t.Errorf("−want +got:\n%s", diff)
			}
		})
	}
}
