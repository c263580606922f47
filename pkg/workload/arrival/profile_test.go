// SPDX-License-Identifier: Apache-2.0

package arrival_test

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload/arrival"
)

// Every process has the rate that its profile says in every tenth of the span.
func TestProfilesInEveryTenth(t *testing.T) {
	const second = time.Second
	diurnal := func(at float64) (want [10]float64) {
		// A mean of 10 a second between 5 and 15, a period of 50 s: two in the span.
		const omega = 2 * math.Pi / 50
		for i := range want {
			from, to := float64(10*i), float64(10*(i+1))
			want[i] = 100 + 5/omega*(math.Sin(omega*(to-at))-math.Sin(omega*(from-at)))
		}
		return want
	}
	for name, tc := range map[string]struct {
		profile arrival.Profile
		want    [10]float64
	}{
		"constant":           {arrival.Profile{Shape: arrival.Unchanged}, [10]float64{100, 100, 100, 100, 100, 100, 100, 100, 100, 100}},
		"step":               {arrival.Profile{Shape: arrival.Step, At: 25 * second, Factor: 3}, [10]float64{100, 100, 200, 300, 300, 300, 300, 300, 300, 300}},
		"step to nothing":    {arrival.Profile{Shape: arrival.Step, At: 50 * second}, [10]float64{100, 100, 100, 100, 100}},
		"ramp":               {arrival.Profile{Shape: arrival.Ramp, At: 20 * second, Duration: 40 * second, Factor: 3}, [10]float64{100, 100, 125, 175, 225, 275, 300, 300, 300, 300}},
		"spike":              {arrival.Profile{Shape: arrival.Spike, At: 20 * second, Duration: 10 * second, Factor: 5, Recovery: 20 * second}, [10]float64{100, 100, 500, 400, 200, 100, 100, 100, 100, 100}},
		"spike that ends":    {arrival.Profile{Shape: arrival.Spike, At: 20 * second, Duration: 15 * second, Factor: 2}, [10]float64{100, 100, 200, 150, 100, 100, 100, 100, 100, 100}},
		"drain":              {arrival.Profile{Shape: arrival.Drain, At: 40 * second, Duration: 20 * second}, [10]float64{100, 100, 100, 100, 75, 25}},
		"drain at once":      {arrival.Profile{Shape: arrival.Drain, At: 40 * second}, [10]float64{100, 100, 100, 100}},
		"diurnal":            {arrival.Profile{Shape: arrival.Diurnal, Period: 50 * second, PeakToTrough: 3}, diurnal(0)},
		"diurnal, late peak": {arrival.Profile{Shape: arrival.Diurnal, Period: 50 * second, PeakToTrough: 3, At: 17 * second}, diurnal(17)},
	} {
		for process, a := range processes() {
			t.Run(name+"/"+process, func(t *testing.T) {
				a.RatePerSecond, a.Profile = 10, &tc.profile
				if errs := a.Validate(nil); len(errs) > 0 {
					t.Fatal(errs.ToAggregate())
				}
				got, stdErr := counts(a, 100*second, 1000)
				for i, want := range tc.want {
					// As in the test of stages; and straight ramps are within 0.3 % of a cosine.
					allowed := float64(4.5*stdErr[i]) + 3
					if process == "Constant" || process == "Periodic" {
						allowed = 1.5
					}
					if math.Abs(got[i]-want) > allowed {
						t.Errorf("tenth %d has %.2f requests, want %.2f ± %.2f", i, got[i], want, allowed)
					}
				}
			})
		}
	}
}

// A profile whose period is short beside the gaps does not go through each of its rounds.
func TestRareRequestsInShortPeriods(t *testing.T) {
	a := arrival.Arrivals{Process: arrival.Constant, RatePerSecond: 1e-6, Profile: &arrival.Profile{Shape: arrival.Diurnal, Period: time.Second, PeakToTrough: 2}}
	clock := arrival.NewClock(a, stats.NewStream(1, "test"))
	for i := range 1000 {
		want := simtime.Time((i + 1) * 1e6 * int(time.Second))
		if got := clock.Next(); math.Abs(float64(got-want)) > float64(time.Second)+1e-7*float64(want) {
			t.Fatalf("request %d comes at %v, want %v", i, got, want)
		}
	}
}

func TestFaultsOfProfiles(t *testing.T) {
	for name, tc := range map[string]struct {
		profile arrival.Profile
		want    []string
	}{
		"no shape":            {arrival.Profile{}, []string{"FieldValueNotSupported profile.shape"}},
		"a ramp of no time":   {arrival.Profile{Shape: arrival.Ramp, Factor: 2}, []string{"FieldValueRequired profile.duration"}},
		"a step with a time":  {arrival.Profile{Shape: arrival.Step, Factor: 2, Duration: 1, Recovery: 1}, []string{"FieldValueForbidden profile.duration", "FieldValueForbidden profile.recovery"}},
		"a day of no length":  {arrival.Profile{Shape: arrival.Diurnal}, []string{"FieldValueRequired profile.period", "FieldValueRequired profile.peakToTrough"}},
		"a trough above":      {arrival.Profile{Shape: arrival.Diurnal, Period: time.Hour, PeakToTrough: 0.5}, []string{"FieldValueInvalid profile.peakToTrough"}},
		"a day too short":     {arrival.Profile{Shape: arrival.Diurnal, Period: 1, PeakToTrough: 2}, []string{"FieldValueInvalid profile.period"}},
		"before the start":    {arrival.Profile{Shape: arrival.Drain, At: -1}, []string{"FieldValueInvalid profile.at"}},
		"too great a factor":  {arrival.Profile{Shape: arrival.Step, Factor: 1e9}, []string{"FieldValueInvalid profile.factor"}},
		"a time of no change": {arrival.Profile{Shape: arrival.Unchanged, At: 1, Factor: 2}, []string{"FieldValueForbidden profile.at", "FieldValueForbidden profile.factor"}},
		"a factor of a drain": {arrival.Profile{Shape: arrival.Drain, Factor: 2}, []string{"FieldValueForbidden profile.factor"}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, e := range tc.profile.Validate(field.NewPath("profile")) {
				got = append(got, string(e.Type)+" "+e.Field)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
}

// The states of an MMPP last as long at every rate of a profile. One of them sends nothing, so
// its times are the long gaps.
func TestStatesLastAsLongUnderAProfile(t *testing.T) {
	const change, long, mean = 1000 * time.Second, 500 * time.Millisecond, 2 * time.Second
	a := arrival.Arrivals{
		Process: arrival.MMPP, RatePerSecond: 50,
		States:  []arrival.State{{RateFactor: 1, MeanDuration: mean}, {RateFactor: 0, MeanDuration: mean}},
		Profile: &arrival.Profile{Shape: arrival.Step, At: change, Factor: 10},
	}
	var sum, count [2]float64
	for seed := range int64(20) {
		clock := arrival.NewClock(a, stats.NewStream(seed, "test"))
		for last, at := simtime.Time(0), clock.Next(); at < simtime.Time(2*change); last, at = at, clock.Next() {
			if gap := at.Sub(last); gap > long {
				half := int64(last) / int64(change)
				sum[half] += (gap - long).Seconds()
				count[half]++
			}
		}
	}
	for half := range sum {
		if got := sum[half] / count[half]; math.Abs(got-mean.Seconds()) > 0.15 {
			t.Errorf("%v long gaps in half %d have a mean of %.2f s above %v, want %v", count[half], half, got, long, mean)
		}
	}
}
