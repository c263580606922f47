// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"context"
	"testing"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy"
)

// toNth sends all requests to one endpoint, and one of them elsewhere.
type toNth struct{ other, request int }

func (r toNth) Route(_ *policy.View, q *policy.Request) (policy.Decision, error) {
	if q.ID == r.request {
		return policy.To(r.other), nil
	}
	return policy.To(0), nil
}

// TestDecisionsOfEqualRunsAreEqual: their digest changes with the place of one request and with
// the times at which requests are served, and with nothing else.
func TestDecisionsOfEqualRunsAreEqual(t *testing.T) {
	run := func(change func(*Config)) Decisions {
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
	same := run(func(*Config) {})
	if same.Requests != 80 || same.Shown != ShownPriorities|ShownLengths {
		t.Errorf("%+v", same)
	}
	for name, tc := range map[string]struct {
		change func(*Config)
		equal  bool
	}{
		"targets":                   {func(c *Config) { c.Targets = []Target{{TTFT: 1}} }, true},
		"a warm-up":                 {func(c *Config) { c.Horizon.WarmUp += time.Microsecond }, true},
		"one request goes to 1":     {func(c *Config) { c.Policies = policy.RoutedBy(toNth{1, 40}) }, false},
		"one request goes to 2":     {func(c *Config) { c.Policies = policy.RoutedBy(toNth{2, 40}) }, false},
		"steps with fewer requests": {func(c *Config) { c.Pools[0].MaxNumSeqs = 1 }, false},
	} {
		if got := run(tc.change); (got == same) != tc.equal || got.Requests != 80 {
			t.Errorf("%s: %+v, before %+v", name, got, same)
		}
	}
	// Two pools of which the first may grow, as a scaler's maximum allows, though none does.
	two := func(c *Config) {
		c.Pools[0].Replicas = 1
		c.Pools = append(c.Pools, c.Pools[0])
	}
	grown := run(func(c *Config) {
		two(c)
		c.Pools[0].MaxReplicas = 4
		c.Policies = policy.RoutedBy(toNth{0, -1})
	})
	small := run(func(c *Config) {
		two(c)
		c.Policies = policy.RoutedBy(toNth{1, 40})
	})
	if moved := run(func(c *Config) {
		two(c)
		c.Pools[0].MaxReplicas = 4
		c.Policies = policy.RoutedBy(toNth{4, 40})
	}); moved != small || moved == grown {
		t.Errorf("room in another pool changes what is decided: %+v, without it %+v", moved, small)
	}
	if run(func(c *Config) { c.Policies = policy.RoutedBy(toNth{1, 40}) }) == run(func(c *Config) { c.Policies = policy.RoutedBy(toNth{2, 40}) }) {
		t.Error("two empty replicas are not told apart")
	}
}
