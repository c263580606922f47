// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"testing"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// The column of results says what each of them is.
func TestOutcomes(t *testing.T) {
	best := &v1alpha1.PointStatus{Summary: "router=load-only"}
	for want, o := range map[string]Object{
		"best: router=load-only":                                  {Key: Key{Resource: Sweeps}, Best: best},
		"none meets the constraints; least bad: router=load-only": {Key: Key{Resource: Sweeps}, Best: best, Unmet: true},
		"ttft.p99 86600 ms":                                       {Key: Key{Resource: Runs}, Metrics: []v1alpha1.MetricValue{{Metric: "ttft.p50", Mean: "1"}, {Metric: "ttft.p99", Mean: "86.596"}}},
		"":                                                        {Key: Key{Resource: Runs}},
	} {
		if got := o.headline(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// An interval of a mean latency over two seeds may end below 0, where no latency is.
func TestIntervalsOfLatenciesBeginAtZero(t *testing.T) {
	for want, m := range map[string]v1alpha1.MetricValue{
		"13890 ms (0 ms to 29560 ms)": {Metric: "ttft.mean", Mean: "13.8925", Low: "-1.7751", High: "29.5601"},
		"66.11 % (-1 % to 100 %)":     {Metric: "goodput", Mean: "0.6611", Low: "-0.01", High: "1"},
		"3 (-1 to 7)":                 {Metric: "unknown", Mean: "3", Low: "-1", High: "7"},
		"86600 ms":                    {Metric: "ttft.p99", Mean: "86.596"},
	} {
		if got := estimateText(m); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
