// SPDX-License-Identifier: Apache-2.0

package observe_test

import (
	"math"
	"testing"
	"time"

	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/observe"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload"
)

const (
	twinWindow  = 5 * time.Minute
	twinBetween = time.Minute
)

// longer is a source whose answers grow by a factor at a time.
type longer struct {
	workload.Source
	at     simtime.Time
	factor float64
}

func (l longer) Next() (workload.Request, bool) {
	r, ok := l.Source.Next()
	if ok && r.Arrival >= l.at {
		r.OutputTokens = int(math.Round(l.factor * float64(r.OutputTokens)))
	}
	return r, ok
}

// followed is what a twin finds, from a time on, of a cluster that is played, whose answers grow by a factor at a time.
func followed(t *testing.T, twin *observe.Twin, played observe.Maker, seed int64, from, lasts, at time.Duration, factor float64) []*observe.Look {
	t.Helper()
	stage := &observe.Stage{
		Window:    observe.Window{From: monday, Every: lasts, Interval: 5 * time.Second, Hours: 1},
		WarmUp:    twinWindow,
		ByReplica: true,
	}
	r, err := stage.Play(t.Context(), func(seed int64) (simulator.Config, error) {
		c, err := played(seed)
		c.Source = longer{c.Source, simtime.Time(twinWindow + at), factor}
		return c, err
	}, seed, observe.AsStated())
	if err != nil {
		t.Fatal(err)
	}
	var looks []*observe.Look
	for ends := from; ends <= lasts; ends += twinBetween {
		w := observe.Window{From: monday.Add(ends - twinWindow), Every: twinWindow, Interval: 5 * time.Second, Hours: 1}
		look, err := twin.Look(t.Context(), w, r)
		if err != nil {
			t.Fatal(err)
		}
		looks = append(looks, look)
	}
	return looks
}

func newTwin(t *testing.T, propose observe.Maker) *observe.Twin {
	return &observe.Twin{
		Run: "cluster", Make: scenario(t), Propose: propose, WarmUp: 20 * time.Second, Between: twinBetween,
		Rules: observe.Rules{Confidence: 0.95, FalseAlarms: 0.01, Tolerance: 0.05}, Options: *options(12),
	}
}

// TestATwinFindsThatAnswersGrow plays a cluster whose answers grow by a fifth after ten minutes.
func TestATwinFindsThatAnswersGrow(t *testing.T) {
	const at = 10 * time.Minute
	var found time.Duration
	for _, look := range followed(t, newTwin(t, nil), scenario(t), 7001, at-time.Minute, at+5*time.Minute, at, 1.2) {
		after := look.Report.To.Sub(monday.Add(at))
		if look.Report.Drift && after <= 0 {
			t.Errorf("drift %v before the answers grow", -after)
		}
		if look.Report.Drift && found == 0 {
			found = after
			if most := look.Report.Causes.Most(); most != observe.Lengths {
				t.Errorf("the cause is %q, want %q", most, observe.Lengths)
			}
		}
	}
	if found == 0 || found > 5*time.Minute {
		t.Errorf("drift is found %v after the answers grow, want 5 minutes at most", found)
	}
	t.Logf("found after %v", found)
}

// TestATwinIsAtEase plays a quarter of an hour of a cluster that is as predicted: there is no drift, and forecasts hold as often as
// their confidence says.
func TestATwinIsAtEase(t *testing.T) {
	inside, figures := 0, 0
	for _, look := range followed(t, newTwin(t, nil), scenario(t), 7002, twinWindow, 16*time.Minute, 0, 1) {
		if look.Report.Drift {
			for _, c := range look.Report.Checks {
				if c.Drift {
					t.Fatalf("%s: measured %v, predicted %v to %v, p %v", c.Name(), c.Measured, c.Low, c.High, c.P)
				}
			}
		}
		if look.Held != nil {
			inside, figures = inside+look.Held.Inside, figures+look.Held.Figures
		}
	}
	if share := float64(inside) / float64(figures); figures < 120 || share < 0.9 {
		t.Errorf("%d of %d figures are where they were forecast (%.3f)", inside, figures, share)
	}
	t.Logf("%d of %d", inside, figures)
}

// TestATwinForecastsAProposal plays the proposal after the forecast of it.
func TestATwinForecastsAProposal(t *testing.T) {
	proposal := scenario(t, compile.Setting{Path: "router.endpointPickerConfig.schedulingProfiles[default].plugins[prefix-cache-scorer].weight", Value: "9"})
	looks := followed(t, newTwin(t, proposal), scenario(t), 7003, twinWindow, twinWindow, 0, 1)
	then := followed(t, newTwin(t, nil), proposal, 7003, 2*twinWindow, 2*twinWindow, 0, 1)
	type named struct {
		metric   string
		quantile float64
	}
	byName := map[named]observe.ForecastFigure{}
	for _, f := range looks[0].Proposed.Figures {
		byName[named{f.Metric, f.Quantile}] = f
	}
	inside, n := 0, 0
	for _, c := range then[len(then)-1].Report.Checks {
		if f, ok := byName[named{c.Metric, c.Quantile}]; ok {
			n++
			if f.Low <= c.Measured && c.Measured <= f.High {
				inside++
			}
		}
	}
	if n < 20 || inside < n-2 {
		t.Errorf("%d of %d figures of the proposal are in their intervals", inside, n)
	}
	if len(looks[0].Proposed.Change) == 0 {
		t.Error("the forecast says nothing of what the proposal changes")
	}
}
