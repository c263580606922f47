// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// wayward is a router that answers as it is told.
type wayward struct {
	endpoint int
	err      error
}

func (w wayward) Route(*policy.View, *policy.Request) (policy.Route, error) {
	return policy.To(w.endpoint), w.err
}

// smallConfig is one replica and two requests.
func smallConfig() simulator.Config {
	text := prompt.Prompt{Extents: []prompt.Extent{{Source: 1, Tokens: 10}}}
	return simulator.Config{
		Pools: []simulator.Pool{{
			Name: "pool", Replicas: 1, Timer: constantStep(time.Millisecond),
			BlockTokens: 16, KVBlocks: 10, MaxNumSeqs: 2, MaxNumBatchedTokens: 64,
		}},
		Policies: policy.RoutedBy(toFirst{}),
		Source: &script{requests: []workload.Request{
			{ID: 0, Arrival: 5, Prompt: text, OutputTokens: 1},
			{ID: 1, Arrival: 5, Prompt: text, OutputTokens: 1},
		}},
		Horizon: simulator.Horizon{Drain: time.Second},
	}
}

func TestBrokenRulesPanicWithTheirValues(t *testing.T) {
	for name, tc := range map[string]struct {
		breakIt func(c *simulator.Config)
		want    string
	}{
		"no replicas":       {func(c *simulator.Config) { c.Pools[0].Replicas = 0 }, "no replicas"},
		"no router":         {func(c *simulator.Config) { c.Policies.Routing.Router = nil }, "no router"},
		"no timer":          {func(c *simulator.Config) { c.Pools[0].Timer = nil }, `pool "pool" has no timer`},
		"no blocks":         {func(c *simulator.Config) { c.Pools[0].KVBlocks = 0 }, "0 blocks (0 reported) of 16 tokens"},
		"no sequences":      {func(c *simulator.Config) { c.Pools[0].MaxNumSeqs = 0 }, "0 sequences"},
		"a negative drain":  {func(c *simulator.Config) { c.Horizon.Drain = -1 }, "Drain:-1ns"},
		"a negative cost":   {func(c *simulator.Config) { c.Pools[0].Cost.QueueBase = -1 }, "negative cost"},
		"a step of no time": {func(c *simulator.Config) { c.Pools[0].Timer = constantStep(0) }, "a step of 0s at 5ns"},
		"half a replica":    {func(c *simulator.Config) { c.Pools[0].Replicas, c.Pools[0].Ranks = 3, 2 }, "3 replicas, at most 0, of 2 ranks"},
		"ranks of no time": {func(c *simulator.Config) {
			c.Pools[0].LockStep = slowestAndShared{own: constantStep(0)}
		}, "a step of 0s at 5ns"},
		"an endpoint too many": {func(c *simulator.Config) { c.Policies = policy.RoutedBy(wayward{endpoint: 1}) }, "request 0 to endpoint 1 of 1"},
		"a router that fails":  {func(c *simulator.Config) { c.Policies = policy.RoutedBy(wayward{err: errors.New("lost")}) }, "failed on request 0 at 5ns: lost"},
		"arrivals that go back": {func(c *simulator.Config) {
			c.Source.(*script).requests[1].Arrival = 4
		}, "request 1 arrives at 4ns, after one at 5ns"},
	} {
		t.Run(name, func(t *testing.T) {
			c := smallConfig()
			tc.breakIt(&c)
			defer func() {
				if got := fmt.Sprint(recover()); !strings.Contains(got, tc.want) {
					t.Errorf("panic %q, want one with %q", got, tc.want)
				}
			}()
			_, _ = Run(context.Background(), c)
		})
	}
}

func TestARefusalMayBeWrapped(t *testing.T) {
	c := smallConfig()
	c.Policies = policy.RoutedBy(wayward{err: fmt.Errorf("all saturated: %w", policy.ErrNoEndpoint)})
	o, err := Run(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	if len(o.Cells) != 1 || o.Cells[0].Pool != simulator.NoPool || o.Cells[0].RejectedBy[simulator.NoEndpoint] != 2 {
		t.Errorf("cells %+v, want one beside the pools with two rejected", o.Cells)
	}
}
