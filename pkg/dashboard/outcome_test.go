// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"testing"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// The column of results says what each of them is.
func TestOutcomes(t *testing.T) {
	best := &v1alpha1.Candidate{Summary: "router=load-only"}
	for want, o := range map[string]Object{
		"best: router=load-only":                                  {Key: Key{Resource: Sweeps}, Best: best},
		"none meets the constraints; least bad: router=load-only": {Key: Key{Resource: Sweeps}, Best: best, Unmet: true},
		"ttft.p99 86600 ms":                                       {Key: Key{Resource: Runs}, Metrics: []v1alpha1.MetricValue{{Metric: "ttft.p50", Mean: "1"}, {Metric: "ttft.p99", Mean: "86.596"}}},
		"":                                                        {Key: Key{Resource: Runs}},
	} {
		if got := o.outcome(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
