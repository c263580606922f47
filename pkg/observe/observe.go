// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
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

// An Observer holds windows of a cluster against the prediction of a scenario.
type Observer struct {
	// Run names the prediction.
	Run    string
	Make   Maker
	WarmUp time.Duration
	// Period is how long the traffic of the scenario goes on before it repeats; less than an hour
	// where it is the same at all hours.
	Period  time.Duration
	Rules   Rules
	Options Options

	// stated is what the scenario predicts on the stage, which windows of one shape share.
	stage  *Stage
	stated Prediction
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

// Observe holds what Prometheus has of a window against the prediction, and looks for the cause of drift.
func (o *Observer) Observe(ctx context.Context, w Window, r *Recording) (*Report, error) {
	report, measured, err := o.hold(ctx, w, r)
	if err != nil {
		return nil, err
	}
	if report.Drift {
		report.Causes, err = o.blame(ctx, report, measured)
	}
	return report, err
}

// hold is Observe without causes. It also returns what was measured.
func (o *Observer) hold(ctx context.Context, w Window, r *Recording) (*Report, Figures, error) {
	measured, notes := w.Figures(r, Measures())
	measures := known(measured)
	if len(measures) == 0 {
		return nil, nil, ErrNothingMeasured
	}
	if err := o.predict(ctx, w, r); err != nil {
		return nil, nil, err
	}
	if r.Dropped > 0 {
		notes = append(notes, fmt.Sprintf("%d samples are no finite numbers, and are left out", r.Dropped))
	}
	checks := Hold(&w, measured, o.stated, o.stage.Window.Hours, measures, o.Rules)
	if len(checks) == 0 {
		return nil, nil, ErrNothingMeasured
	}
	return &Report{
		Run: o.Run, From: w.From, To: w.To(), Every: w.Every.String(), Seeds: o.Options.Seeds, Rules: o.Rules,
		Drift: Drifted(checks), Outside: Outside(checks), Checks: checks, Notes: notes, window: w,
	}, measured, nil
}

// predict predicts a window, unless it is of the shape of the last one: then the date is the only difference.
func (o *Observer) predict(ctx context.Context, w Window, r *Recording) error {
	stage := o.stageOf(w, r)
	if o.stage != nil {
		same := o.stage.Window
		same.From = stage.Window.From
		if same == stage.Window && maps.EqualFunc(o.stage.Bounds, stage.Bounds, slices.Equal) {
			return nil
		}
	}
	stated, err := Predict(ctx, stage, o.Make, o.Options.Seeds, AsStated(), Measures(), &o.Options)
	if err == nil {
		o.stage, o.stated = stage, stated
	}
	return err
}

func (o *Observer) blame(ctx context.Context, r *Report, measured Figures) (*Causes, error) {
	return Blame(ctx, o.stage, o.Make, known(measured), measured, o.stated, r.Checks, &o.Options)
}

// known are the measures that have a figure.
func known(measured Figures) []Measure {
	return slices.DeleteFunc(Measures(), func(m Measure) bool {
		return !slices.ContainsFunc(measured[m.Name()], func(f *Figure) bool { return f != nil })
	})
}

// mostScrapes is how often a simulation is scraped in an hour. More take memory, and counters need
// only those at the bounds of hours.
const mostScrapes = 240

// stageOf is what is simulated: as many hours as the traffic has before it repeats.
func (o *Observer) stageOf(w Window, r *Recording) *Stage {
	w.Hours = min(w.Hours, max(1, int(o.Period/w.Every)))
	w.Interval = max(w.Interval, w.Every/mostScrapes)
	return &Stage{Window: w, WarmUp: WarmUp(o.WarmUp, o.Period, w.Every), Bounds: r.Bounds()}
}

// WarmUp is how long a scenario is simulated before it is looked at. Traffic that is the same at
// all hours begins an hour before, because the caches of a cluster are full.
func WarmUp(stated, period, every time.Duration) time.Duration {
	if period < every {
		return max(stated, every)
	}
	return stated
}
