// SPDX-License-Identifier: Apache-2.0

package whatif

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// mean is of so many completed requests with this TTFT each, and this TTFT more for the rest
// of the answer.
func mean(completed int, ttft time.Duration) latencies {
	return latencies{requests: 2, completed: completed, ttft: time.Duration(completed) * ttft, e2e: time.Duration(2*completed) * ttft}
}

func TestVerdicts(t *testing.T) {
	const ms = time.Millisecond
	for name, test := range map[string]struct {
		picked, elsewhere latencies
		flips             []latencies
		want              Regret
	}{
		"less elsewhere":                      {mean(1, 50*ms), mean(1, 30*ms), nil, Regret{new(0.05), new(0.03), new(0.02), 0, Better}},
		"more elsewhere":                      {mean(1, 30*ms), mean(1, 50*ms), nil, Regret{new(0.03), new(0.05), new(-0.02), 0, Worse}},
		"the same":                            {mean(1, 30*ms), mean(1, 30*ms), nil, Regret{new(0.03), new(0.03), new(0.0), 0, Zero}},
		"the mean of two":                     {mean(2, 50*ms), mean(2, 30*ms), nil, Regret{new(0.05), new(0.03), new(0.02), 0, Better}},
		"within the spread to the other side": {mean(1, 64*ms), mean(1, 32*ms), []latencies{mean(1, 64*ms), mean(1, 96*ms)}, Regret{new(0.064), new(0.032), new(0.032), 0.032, Zero}},
		"beyond the spread":                   {mean(1, 64*ms), mean(1, 32*ms), []latencies{mean(1, 65*ms), mean(1, 63*ms)}, Regret{new(0.064), new(0.032), new(0.032), 0.001, Better}},
		"completed elsewhere only":            {mean(0, 0), mean(1, 30*ms), []latencies{mean(1, 30*ms)}, Regret{nil, new(0.03), nil, 0, Better}},
		"completed as picked only":            {mean(1, 30*ms), mean(0, 0), []latencies{mean(0, 0)}, Regret{new(0.03), nil, nil, 0, Worse}},
		"completed nowhere":                   {mean(0, 0), mean(0, 0), nil, Regret{nil, nil, nil, 0, Zero}},
	} {
		t.Run(name, func(t *testing.T) {
			c := compare(test.picked, test.elsewhere, test.flips)
			if diff := cmp.Diff(test.want, c.TTFT); diff != "" {
				t.Errorf("regret (-want +got):\n%s", diff)
			}
			if c.E2E.Verdict != test.want.Verdict || c.Requests != 2 || c.CompletedAsPicked != test.picked.completed || c.CompletedElsewhere != test.elsewhere.completed {
				t.Errorf("%+v", c)
			}
		})
	}
}
