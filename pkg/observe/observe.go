// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// maxHours is how many hours a window has at most.
const maxHours = 1000

// leastSamples is how many samples an hour has at least.
const leastSamples = 4

// NewWindow returns the window between two times, in hours of a length; for 0, of an hour, or of
// all of it if that is less. What is left of the last hour is not looked at.
func NewWindow(from, to time.Time, every, interval time.Duration) (Window, error) {
	lasts := to.Sub(from)
	if every == 0 {
		every = min(time.Hour, lasts)
	}
	switch {
	case lasts <= 0:
		return Window{}, errors.New("the window is empty: it must end after its beginning")
	case interval <= 0:
		return Window{}, errors.New("no series has two samples in the window")
	case lasts < interval:
		return Window{}, fmt.Errorf("the window of %v is shorter than the %v between two samples", lasts, interval)
	case every > lasts+interval:
		return Window{}, fmt.Errorf("the window of %v, from --from or --last to --to, is shorter than the %v of --every", lasts, every)
	case every < leastSamples*interval:
		return Window{}, fmt.Errorf("an hour of %v has fewer than %d samples, which are %v apart", every, leastSamples, interval)
	}
	// The last sample may be a little before the end.
	hours := int((lasts + interval) / every)
	if hours > maxHours {
		return Window{}, fmt.Errorf("the window has %d hours of %v, and %d are possible", hours, every, maxHours)
	}
	return Window{From: from, Every: every, Interval: interval, Hours: hours}, nil
}

// StepOf is how far apart samples are that a Prometheus is asked for: a sixtieth of an hour, and
// 15 s at least. An hour is a multiple of it.
func StepOf(every, window time.Duration) time.Duration {
	if every == 0 {
		every = min(time.Hour, window)
	}
	n := max(min(every/(15*time.Second), 60), 1)
	return (every / n).Truncate(time.Millisecond)
}

// Question is what is to be observed.
type Question struct {
	// Run names the prediction.
	Run    string
	Make   Maker
	WarmUp time.Duration
	// Period is how long the traffic of the scenario goes on before it repeats; less than an hour
	// where it is the same at all hours.
	Period time.Duration
	Window Window
	// Measured is what Prometheus has of the window.
	Measured *Recording
	Rules    Rules
	Options  Options
}

// Report is what an observation found.
type Report struct {
	Run   string    `json:"run"`
	From  time.Time `json:"from"`
	To    time.Time `json:"to"`
	Every string    `json:"every"`
	Seeds []int64   `json:"seeds"`
	Rules Rules     `json:"rules"`
	// Drift says that the cluster is not as predicted.
	Drift bool `json:"drift"`
	// Outside is how many of the checks have a value outside of its interval.
	Outside int     `json:"outside"`
	Checks  []Check `json:"checks"`
	// Causes are there where there is drift.
	Causes *Causes  `json:"causes,omitempty"`
	Notes  []string `json:"notes,omitempty"`

	window Window
}

// ErrNothingMeasured says that the window has none of the metrics.
var ErrNothingMeasured = errors.New("nothing was measured: none of the metrics of vLLM and of the EPP has enough samples in the window")

// Observe holds a prediction against what was measured, and looks for the cause of drift.
func Observe(ctx context.Context, q *Question) (*Report, error) {
	measured, _ := q.Window.Figures(q.Measured, Measures())
	measures := known(Measures(), measured)
	if len(measures) == 0 {
		return nil, ErrNothingMeasured
	}
	stage := q.stage()
	predicted, err := Predict(ctx, stage, q.Make, q.Options.Seeds, AsStated(), measures, &q.Options)
	if err != nil {
		return nil, err
	}
	r, _, err := q.hold(ctx, stage, predicted)
	return r, err
}

// hold holds a prediction against what was measured, whose figures it returns.
func (q *Question) hold(ctx context.Context, stage *Stage, predicted Prediction) (*Report, Figures, error) {
	measures := Measures()
	measured, notes := q.Window.Figures(q.Measured, measures)
	measures = known(measures, measured)
	if q.Measured.Dropped > 0 {
		notes = append(notes, fmt.Sprintf("%d samples are no finite numbers, and are left out", q.Measured.Dropped))
	}
	checks := Hold(&q.Window, measured, predicted, stage.Window.Hours, measures, q.Rules)
	if len(checks) == 0 {
		return nil, nil, ErrNothingMeasured
	}
	r := &Report{
		Run: q.Run, From: q.Window.From, To: q.Window.To(), Every: q.Window.Every.String(), Seeds: q.Options.Seeds, Rules: q.Rules,
		Drift: Drifted(checks), Outside: Outside(checks), Checks: checks, Notes: notes,
		window: q.Window,
	}
	var err error
	if r.Drift {
		r.Causes, err = Blame(ctx, stage, q.Make, measures, measured, predicted, checks, &q.Options)
	}
	return r, measured, err
}

// known are the measures that have a figure.
func known(measures []Measure, measured Figures) []Measure {
	var kept []Measure
	for _, m := range measures {
		for _, f := range measured[m.Name()] {
			if f != nil {
				kept = append(kept, m)
				break
			}
		}
	}
	return kept
}

// mostScrapes is how often a simulation is scraped in an hour. More take memory, and counters need
// only those at the bounds of hours.
const mostScrapes = 240

// stage is what is simulated: as many hours as the traffic has before it repeats.
func (q *Question) stage() *Stage {
	w := q.Window
	w.Hours = min(w.Hours, max(1, int(q.Period/w.Every)))
	w.Interval = max(w.Interval, w.Every/mostScrapes)
	return &Stage{Window: w, WarmUp: WarmUp(q.WarmUp, q.Period, w.Every), Bounds: q.Measured.Bounds()}
}

// WarmUp is how long a scenario is simulated before it is looked at. Traffic that is the same at
// all hours begins an hour before, because the caches of a cluster are full.
func WarmUp(stated, period, every time.Duration) time.Duration {
	if period < every {
		return max(stated, every)
	}
	return stated
}
