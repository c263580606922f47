// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"context"
	"testing"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// toNth sends all requests to one endpoint, and one of them elsewhere.
type toNth struct{ other, request int }

func (r toNth) Route(_ *policy.View, q *policy.Request) (policy.Route, error) {
	if q.ID == r.request {
		return policy.To(r.other), nil
	}
	return policy.To(0), nil
}

// TestDecisionsOfEqualRunsAreEqual: their digest changes with the place of one request and with
// the times at which requests are served, and with nothing else.
func TestDecisionsOfEqualRunsAreEqual(t *testing.T) {
	run := func(change func(*simulator.Config)) simulator.Decisions {
		c := recordedConfig(3)
		c.Pools[0].Replicas = 3
		c.Policies = policy.RoutedBy(toNth{0, -1})
		change(&c)
		o, err := Run(context.Background(), c)
		if err != nil {
			t.Fatal(err)
		}
		return o.Decisions
	}
	same := run(func(*simulator.Config) {})
	if same.Requests != 80 || same.Shown != simulator.ShownPriorities|simulator.ShownLengths {
		t.Errorf("%+v", same)
	}
	for name, tc := range map[string]struct {
		change func(*simulator.Config)
		equal  bool
	}{
		"targets":                   {func(c *simulator.Config) { c.Targets = []simulator.Target{{TTFT: 1}} }, true},
		"a warm-up":                 {func(c *simulator.Config) { c.Horizon.WarmUp += time.Microsecond }, true},
		"one request goes to 1":     {func(c *simulator.Config) { c.Policies = policy.RoutedBy(toNth{1, 40}) }, false},
		"one request goes to 2":     {func(c *simulator.Config) { c.Policies = policy.RoutedBy(toNth{2, 40}) }, false},
		"steps with fewer requests": {func(c *simulator.Config) { c.Pools[0].MaxNumSeqs = 1 }, false},
	} {
		if got := run(tc.change); (got == same) != tc.equal || got.Requests != 80 {
			t.Errorf("%s: %+v, before %+v", name, got, same)
		}
	}
	// Two pools of which the first may grow, as a scaler's maximum allows, though none does.
	two := func(c *simulator.Config) {
		c.Pools[0].Replicas = 1
		c.Pools = append(c.Pools, c.Pools[0])
	}
	grown := run(func(c *simulator.Config) {
		two(c)
		c.Pools[0].MaxReplicas = 4
		c.Policies = policy.RoutedBy(toNth{0, -1})
	})
	small := run(func(c *simulator.Config) {
		two(c)
		c.Policies = policy.RoutedBy(toNth{1, 40})
	})
	if moved := run(func(c *simulator.Config) {
		two(c)
		c.Pools[0].MaxReplicas = 4
		c.Policies = policy.RoutedBy(toNth{4, 40})
	}); moved != small || moved == grown {
		t.Errorf("room in another pool changes what is decided: %+v, without it %+v", moved, small)
	}
	if run(func(c *simulator.Config) { c.Policies = policy.RoutedBy(toNth{1, 40}) }) == run(func(c *simulator.Config) { c.Policies = policy.RoutedBy(toNth{2, 40}) }) {
		t.Error("two empty replicas are not told apart")
	}
}
