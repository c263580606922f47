// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/workload/arrival"
)

func TestBuildArrivals(t *testing.T) {
	got := buildArrivals(&v1alpha1.Arrivals{
		Process: v1alpha1.MMPPArrivals,
		Stages:  []v1alpha1.RateStage{{Rate: "2", RampTo: "0", Duration: "10s"}, {Rate: "2", Duration: "1s"}},
		States:  []v1alpha1.ArrivalState{{RateFactor: "0.5", MeanDuration: "1m"}, {RateFactor: "4", MeanDuration: "5s"}},
	})
	want := arrival.Arrivals{
		Process: arrival.MMPP,
		Stages: []arrival.Stage{
			{RatePerSecond: 2, RampPerSecond: -2, Duration: 10 * time.Second}, {RatePerSecond: 2, Duration: time.Second},
		},
		States: []arrival.State{{RateFactor: 0.5, MeanDuration: time.Minute}, {RateFactor: 4, MeanDuration: 5 * time.Second}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("arrivals (−want +got):\n%s", diff)
	}
	shape := buildArrivals(&v1alpha1.Arrivals{Process: v1alpha1.ParetoArrivals, Rate: "3", Shape: "1.5"})
	if diff := cmp.Diff(arrival.Arrivals{Process: arrival.Pareto, RatePerSecond: 3, Shape: 1.5}, shape); diff != "" {
		t.Errorf("arrivals (−want +got):\n%s", diff)
	}
}
