// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

func TestHorizonNotes(t *testing.T) {
	constant := func(rate v1alpha1.PositiveDecimal) v1alpha1.Arrivals {
		return v1alpha1.Arrivals{Process: v1alpha1.ConstantArrivals, Rate: rate}
	}
	profile := func(p v1alpha1.LoadProfile) v1alpha1.Arrivals {
		return v1alpha1.Arrivals{Process: v1alpha1.PoissonArrivals, Rate: "1", Profile: &p}
	}
	stages := func(durations ...v1alpha1.PositiveDuration) v1alpha1.Arrivals {
		a := v1alpha1.Arrivals{Process: v1alpha1.PoissonArrivals}
		for _, d := range durations {
			a.Stages = append(a.Stages, v1alpha1.RateStage{Rate: "1", Duration: d})
		}
		return a
	}
	const end = ", and no request arrives after horizon.duration, 1m0s"
	for name, tc := range map[string]struct {
		arrivals v1alpha1.Arrivals
		copies   *v1alpha1.Copies
		want     string // empty for no note
	}{
		"a change in time":           {arrivals: profile(v1alpha1.LoadProfile{Shape: v1alpha1.StepLoad, At: "59s", Factor: "2"})},
		"a change at the end":        {profile(v1alpha1.LoadProfile{Shape: v1alpha1.StepLoad, At: "1m", Factor: "2"}), nil, "profile.at: the rate changes at 1m0s" + end},
		"a drain behind it":          {profile(v1alpha1.LoadProfile{Shape: v1alpha1.DrainLoad, At: "10m"}), nil, "profile.at: the rate changes at 10m0s" + end},
		"a peak behind it":           {arrivals: profile(v1alpha1.LoadProfile{Shape: v1alpha1.DiurnalLoad, At: "14h", Period: "24h", PeakToTrough: "2"})},
		"stages in time":             {arrivals: stages("30s", "20s", "10m")},
		"stages behind it":           {stages("30s", "30s", "1m", "1m"), nil, "stages[2]: the stage begins at 1m0s" + end},
		"a slow client":              {constant("0.01"), nil, ": the first request of the client is due at 1m40s" + end},
		"many slow copies":           {constant("50"), &v1alpha1.Copies{Count: 5000}, ": the first request of each of 5000 copies is due at 1m40s" + end},
		"copies of one stream":       {arrivals: constant("50"), copies: &v1alpha1.Copies{Count: 5000, Arrivals: v1alpha1.RandomArrivals}},
		"one that is frequent":       {arrivals: constant("50"), copies: &v1alpha1.Copies{Count: 5000, ZipfExponent: "1"}},
		"random arrivals":            {arrivals: v1alpha1.Arrivals{Process: v1alpha1.PoissonArrivals, Rate: "0.01"}},
		"regular arrivals":           {v1alpha1.Arrivals{Process: v1alpha1.PeriodicArrivals, Rate: "0.01", Jitter: "0.5"}, nil, ": the first request of the client is due at 1m40s" + end},
		"arrivals that may be early": {arrivals: v1alpha1.Arrivals{Process: v1alpha1.PeriodicArrivals, Rate: "0.015", Jitter: "1"}},
	} {
		t.Run(name, func(t *testing.T) {
			in := &v1alpha1.Scenario{
				Horizon:  v1alpha1.Horizon{Duration: "1m"},
				Workload: v1alpha1.Workload{Clients: []v1alpha1.Client{{Arrivals: tc.arrivals, Copies: tc.copies}}},
			}
			var want []string
			switch {
			case tc.want == "":
			case tc.want[0] == ':':
				want = []string{"s.workload.clients[0].arrivals" + tc.want}
			default:
				want = []string{"s.workload.clients[0].arrivals." + tc.want}
			}
			if diff := cmp.Diff(want, horizonNotes(in, field.NewPath("s"))); diff != "" {
				t.Errorf("notes (-want +got):\n%s", diff)
			}
			in.Horizon.Duration = ""
			if got := horizonNotes(in, nil); got != nil {
				t.Errorf("notes %q without a duration", got)
			}
		})
	}
}
