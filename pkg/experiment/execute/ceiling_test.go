// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"testing"

	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/scheduling"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// A ceiling for caches of a size holds only where requests are served in order of arrival.
func TestWhatReordersRequests(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*simulator.Config)
		want   string
	}{
		"nothing":             {func(*simulator.Config) {}, ""},
		"first come":          {func(c *simulator.Config) { c.Pools[1].Scheduler = scheduling.FCFS }, ""},
		"a scheduler":         {func(c *simulator.Config) { c.Pools[1].Scheduler = scheduling.ShortestPrompt }, "a scheduler has an order of its own"},
		"adapters":            {func(c *simulator.Config) { c.Pools[0].Adapters = &simulator.AdapterPlaces{} }, "requests wait for adapters"},
		"costs of long ones":  {func(c *simulator.Config) { c.Pools[0].Cost = latency.RequestCost{QueuePerInputToken: 1} }, "long prompts reach the queue later"},
		"an admission":        {func(c *simulator.Config) { c.Policies.Admission = admits{} }, "the gateway holds requests back"},
		"failures":            {func(c *simulator.Config) { c.Disruptions = make([]simulator.Disruption, 1) }, "requests move when a replica fails"},
		"disaggregated pools": {func(c *simulator.Config) { c.Handoff.MaxPending = 1 }, "requests are handed over"},
	} {
		t.Run(name, func(t *testing.T) {
			c := simulator.Config{Pools: make([]simulator.Pool, 2)}
			tc.change(&c)
			if got := reorders(&c); got != tc.want {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}

type admits struct{}

func (admits) Admit(*policy.View, *policy.Request) policy.AdmissionResponse {
	return policy.AdmissionResponse{}
}

func TestBlocksOfAllTiers(t *testing.T) {
	c := simulator.Config{Pools: []simulator.Pool{
		{Replicas: 2, KVBlocks: 10},
		{Replicas: 3, MaxReplicas: 4, KVBlocks: 100, Tiers: simulator.Tiers{Lower: []simulator.Tier{{Blocks: 1000}, {Blocks: 50, Shared: true}}}},
	}}
	if got := blocksOf(&c); got != 20+4*1100+50 {
		t.Errorf("%d blocks", got)
	}
}

// There is no bound on the pace of engines that give a request several tokens in a step.
func TestPaceOfSpeculation(t *testing.T) {
	c := simulator.Config{Pools: []simulator.Pool{{
		Replicas: 1, MaxNumSeqs: 1, MaxNumBatchedTokens: 1, Timer: latency.Linear{BaseMicroseconds: 1},
	}}}
	var without, with Ceiling
	without.boundPace(&c, nil)
	c.Pools[0].Speculation = &simulator.Speculation{Tokens: 1, Acceptance: []float64{1}}
	with.boundPace(&c, nil)
	if without.EndSeconds == nil || with.EndSeconds != nil || with.PaceUnknown == "" {
		t.Errorf("%+v without speculation, %+v with", without, with)
	}
}
