// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"math"
	"slices"
	"testing"
	"time"
)

// TestForecastsAreHeldAgainstTheirWindow has forecasts of five minutes each, from a minute on. The one that is held against
// a window is told by the number of its figures.
func TestForecastsAreHeldAgainstTheirWindow(t *testing.T) {
	at := func(minute int) time.Time { return time.Unix(0, 0).Add(time.Duration(minute) * time.Minute) }
	for name, tc := range map[string]struct {
		forecasts []int
		window    int
		want      int // the minute of the forecast that is held; -1 is none
	}{
		"none":                             {nil, 5, -1},
		"each minute":                      {[]int{1, 2, 3, 4, 5, 6}, 3, 3},
		"each second minute":               {[]int{1, 3, 5}, 4, 3},
		"all later than the window":        {[]int{4, 5}, 3, -1},
		"looks after it found nothing":     {[]int{1, 2}, 4, 2},
		"its window ended before this one": {[]int{1, 2}, 7, -1},
		"its window ends a minute later":   {[]int{1, 2}, 6, 2},
		"the looks are as far as windows":  {[]int{1, 6}, 6, 6},
		"the looks are further than that":  {[]int{1}, 11, -1},
	} {
		t.Run(name, func(t *testing.T) {
			twin, measured := &Twin{}, Figures{"x": {{Value: 1}}}
			for _, minute := range tc.forecasts {
				figures := slices.Repeat([]ForecastFigure{{Low: 1, High: 1, name: "x"}}, minute)
				twin.forecasts = append(twin.forecasts, &Forecast{From: at(minute), To: at(minute + 5), Figures: figures})
			}
			got := -1
			if h := twin.held(&Window{From: at(tc.window), Every: 5 * time.Minute, Hours: 1}, measured); h != nil {
				if got = h.Figures; h.Inside != h.Figures {
					t.Errorf("%d of %d figures are inside", h.Inside, h.Figures)
				}
			}
			if got != tc.want {
				t.Errorf("the forecast from minute %d is held, want %d", got, tc.want)
			}
		})
	}
}

// TestChangesArePairedBySeed has a seed without a value on each side: of the three that are left the differences are 20, 30 and
// 40, and the mean without the proposal is 300.
func TestChangesArePairedBySeed(t *testing.T) {
	of := func(values ...float64) (p Prediction) {
		for _, v := range values {
			f := &Figure{Value: v}
			if v == 0 {
				f = nil
			}
			p = append(p, Figures{"ttft": {f}})
		}
		return p
	}
	var f Forecast
	f.changes(of(0, 100, 200, 300, 400), of(1000, 0, 220, 330, 440), 0.95)
	if len(f.Change) != 1 || f.Change[0].Metric != "ttft" || math.Abs(f.Change[0].Mean-0.1) > 1e-12 {
		t.Errorf("the changes are %+v, want 0.1 of ttft", f.Change)
	}
}
