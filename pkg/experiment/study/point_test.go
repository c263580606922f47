// SPDX-License-Identifier: Apache-2.0

package study_test

import (
	"testing"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
)

func TestFiguresHaveTheirUnits(t *testing.T) {
	for want, m := range map[string]v1alpha1.MetricValue{
		"612 ms":                       {Metric: "ttft.p99", Mean: "0.612"},
		"90.0 ms (81.5 ms to 98.5 ms)": {Metric: "ttft.p99{class=chat}", Mean: "0.09", Low: "0.0815", High: "0.0985"},
		"7":                            {Metric: "cost_per_request", Mean: "7"},
		"x":                            {Metric: "ttft.p99", Mean: "x"},
	} {
		if got := study.Figure(m); got != want {
			t.Errorf("%+v: %s, want %s", m, got, want)
		}
	}
}
