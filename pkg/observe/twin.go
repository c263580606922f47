// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"windtunnel.dev/windtunnel/internal/figure"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// A Twin follows a cluster. Each look holds the last window against the prediction, takes over the inputs that were
// measured, and says what the next window will be like as things are, and with a proposal in their place. The traffic of
// the scenario is that of its beginning, at all times.
type Twin struct {
	Observer
	// Propose is of the proposal; nil without one.
	Propose Maker

	// now and then are the predictions on a stage of what is in operation and of the proposal, by their inputs.
	on        *Stage
	now, then map[Assumptions]Prediction
	// causes are those of the drift that lasts, and blamed is what was measured when they were found.
	causes    *Causes
	blamed    Figures
	forecasts []*Forecast
}

// A Look is what one look at a cluster found.
type Look struct {
	Report *Report `json:"report"`
	// Inputs are those that the forecast has, as factors of what the scenario states.
	Inputs Assumptions `json:"inputs"`
	// Forecast is of the window after this one. Proposed is that of the proposal, under the same inputs.
	Forecast *Forecast `json:"forecast"`
	Proposed *Forecast `json:"proposed,omitempty"`
	// Held says how the forecast of this window came out; nil where there was none.
	Held *Held `json:"held,omitempty"`
}

// A Forecast says where the figures of a window will be.
type Forecast struct {
	From    time.Time         `json:"from"`
	To      time.Time         `json:"to"`
	Figures []ForecastFigure  `json:"figures"`
	Change  []ProposedChanged `json:"change,omitempty"`
}

// A ForecastFigure is a measure with the interval in which it lies with the confidence of the rules.
type ForecastFigure struct {
	Metric   string  `json:"metric"`
	Quantile float64 `json:"quantile,omitempty"`
	Unit     Unit    `json:"unit"`
	Mean     float64 `json:"mean"`
	Low      float64 `json:"low"`
	High     float64 `json:"high"`

	name string
}

// ProposedChanged is by how much a proposal changes a measure, as a share of what it is without it, with an interval
// over the seeds, paired.
type ProposedChanged struct {
	Metric   string  `json:"metric"`
	Quantile float64 `json:"quantile,omitempty"`
	Mean     float64 `json:"mean"`
	Low      float64 `json:"low"`
	High     float64 `json:"high"`
}

// Held is how many figures of a forecast came to lie in their intervals.
type Held struct {
	Figures int `json:"figures"`
	Inside  int `json:"inside"`
}

// day is the time that the rate of false alarms of a twin is of.
const day = 24 * time.Hour

// PerLook are the rules of one look, where FalseAlarms is the probability of drift in a day of looks.
func (r Rules) PerLook(between time.Duration) Rules {
	r.FalseAlarms *= float64(min(between, day)) / float64(day)
	return r
}

// Look looks at a window, whose end is that of the look. The windows of several looks may overlap.
func (t *Twin) Look(ctx context.Context, w Window, r *Recording) (*Look, error) {
	report, measured, err := t.hold(ctx, w, r)
	if err != nil {
		return nil, err
	}
	if t.on != t.stage {
		t.on, t.now, t.then, t.causes = t.stage, map[Assumptions]Prediction{AsStated(): t.stated[:t.Options.ForecastSeeds]}, map[Assumptions]Prediction{}, nil
	}
	l := &Look{Report: report, Held: t.held(&w, measured), Inputs: t.inputs(measured)}
	if err := t.explain(ctx, l, measured); err != nil {
		return nil, err
	}
	return l, t.forecast(ctx, l, &w)
}

// explain names the causes of drift. They stay as long as it lasts and no input moves.
func (t *Twin) explain(ctx context.Context, l *Look, measured Figures) (err error) {
	if !l.Report.Drift {
		t.causes = nil
		return nil
	}
	if t.causes == nil || slices.ContainsFunc([]string{arrivalRate, requestRate, promptTokens, outputTokens, hitShare, itl}, func(name string) bool {
		before, had := (Prediction{t.blamed}).mean(name)
		now, has := (Prediction{measured}).mean(name)
		return had != has || math.Abs(now-before) > math.Sqrt2*t.luck(name)+rounding(before) // both have luck
	}) {
		t.blamed = measured
		if t.causes, err = t.blame(ctx, l.Report, measured); err != nil {
			return err
		}
	}
	l.Report.Causes = t.causes
	l.Inputs.Unlike, l.Inputs.Alike, l.Inputs.Step = t.causes.Measured.Unlike, t.causes.Measured.Alike, t.causes.Measured.Step
	return nil
}

// luck is half of the interval in which the measure of one more window lies; 0 where it is not known.
func (t *Twin) luck(measure string) float64 {
	values := t.stated.values(measure, 0)
	if len(values) < leastSeeds {
		return 0
	}
	of := stats.Prediction(values, t.Rules.Confidence)
	return of.High - of.Mean
}

// takesTraffic reports whether the rate of the arrivals is an input: not where clients wait for answers.
func (t *Twin) takesTraffic() bool {
	config, err := t.Make(t.Options.Seeds[0])
	return err == nil && config.Listener == nil
}

// inputs are the traffic and the lengths that were measured, as factors of those that are predicted, in steps of
// their luck: the smaller differences are no other inputs, and need no other simulations.
func (t *Twin) inputs(measured Figures) Assumptions {
	a := AsStated()
	for _, of := range []struct {
		measures []string
		factor   *float64
		is       bool
	}{{[]string{arrivalRate, requestRate}, &a.Rate, t.takesTraffic()}, {[]string{promptTokens}, &a.Prompt, true}, {[]string{outputTokens}, &a.Output, true}} {
		for _, name := range of.measures {
			measured, known := (Prediction{measured}).mean(name)
			predicted, has := t.stated.mean(name)
			if of.is && known && has && measured > 0 && predicted > 0 {
				if step := t.luck(name); step > 0 {
					measured = predicted + step*math.Round((measured-predicted)/step)
				}
				*of.factor = measured / predicted
				break
			}
		}
	}
	return a
}

// mostPredictions bounds how many predictions are kept.
const mostPredictions = 256

// predicted is the prediction under some inputs, of those that are kept where it is among them.
func (t *Twin) predicted(ctx context.Context, maker Maker, kept map[Assumptions]Prediction, a Assumptions) (Prediction, error) {
	if p, ok := kept[a]; ok {
		return p, nil
	}
	p, err := Predict(ctx, t.stage, maker, t.Options.Seeds[:t.Options.ForecastSeeds], a, Measures(), &t.Options)
	if err != nil {
		return nil, err
	}
	if len(kept) == mostPredictions {
		clear(kept)
	}
	kept[a] = p
	return p, nil
}

// forecast says what the next window will be like.
func (t *Twin) forecast(ctx context.Context, l *Look, w *Window) error {
	now, err := t.predicted(ctx, t.Make, t.now, l.Inputs)
	if err != nil {
		return err
	}
	l.Forecast = newForecast(w, now, t.Rules.Confidence)
	t.forecasts = append(t.forecasts, l.Forecast)
	if t.Propose == nil {
		return nil
	}
	then, err := t.predicted(ctx, t.Propose, t.then, l.Inputs)
	if err != nil {
		return err
	}
	l.Proposed = newForecast(w, then, t.Rules.Confidence)
	l.Proposed.changes(now, then, t.Rules.Confidence)
	return nil
}

// wider is by how much an interval of a forecast is wider than one of a scenario. Its variance has that of the next window, as
// much again of the window in which the inputs were measured, and a third of it from their steps.
var wider = math.Sqrt(2 + 1.0/3)

// newForecast makes intervals for the window after another one.
func newForecast(w *Window, p Prediction, confidence float64) *Forecast {
	lasts := time.Duration(w.Hours) * w.Every
	f := &Forecast{From: w.To(), To: w.To().Add(lasts)}
	for _, m := range Measures() {
		values := p.values(m.Name(), 0)
		if len(values) < leastSeeds {
			continue
		}
		of := stats.Prediction(values, confidence)
		half := wider * (of.High - of.Mean)
		f.Figures = append(f.Figures, ForecastFigure{
			Metric: m.Metric, Quantile: m.Quantile, Unit: m.Unit, Mean: of.Mean, Low: math.Max(0, of.Mean-half), High: of.Mean + half, name: m.Name(),
		})
	}
	return f
}

// changes are those of the figures, over the seeds under which both predictions have them.
func (f *Forecast) changes(now, then Prediction, confidence float64) {
	for _, m := range Measures() {
		var a, b []float64
		for i := range now {
			before, known := now[i : i+1].mean(m.Name())
			after, has := then[i : i+1].mean(m.Name())
			if known && has {
				a, b = append(a, before), append(b, after)
			}
		}
		if len(a) < leastSeeds {
			continue
		}
		base, d := stats.MeanInterval(a, confidence).Mean, stats.PairedDifference(b, a, confidence)
		if base > 0 {
			f.Change = append(f.Change, ProposedChanged{Metric: m.Metric, Quantile: m.Quantile, Mean: d.Mean / base, Low: d.Low / base, High: d.High / base})
		}
	}
}

// held compares a window with the forecast of it: the last one that was made before the window began, if its own
// window had not ended by then.
func (t *Twin) held(w *Window, measured Figures) *Held {
	after := slices.IndexFunc(t.forecasts, func(f *Forecast) bool { return f.From.After(w.From) })
	if after < 0 {
		after = len(t.forecasts)
	}
	t.forecasts = t.forecasts[max(0, after-1):]
	if after == 0 || !t.forecasts[0].To.After(w.From) {
		return nil
	}
	f, h := t.forecasts[0], &Held{}
	for _, of := range f.Figures {
		if value, ok := (Prediction{measured}).mean(of.name); ok {
			h.Figures++
			if of.Low-rounding(of.Mean) <= value && value <= of.High+rounding(of.Mean) {
				h.Inside++
			}
		}
	}
	return h
}

// drifted is how a look's condition Drifted reads.
func (l *Look) drifted() string {
	if !l.Report.Drift {
		return "as predicted"
	}
	most := l.Report.Causes.Most()
	if most == "" {
		return "drift, which no assumption explains"
	}
	var moved []string
	for _, c := range l.Report.Causes.Causes[0].Changes {
		moved = append(moved, fmt.Sprintf("%s %.4g → %.4g", c.Input, c.Stated, c.Measured))
	}
	return fmt.Sprintf("drift, mainly in the %s (%s)", most, strings.Join(moved, ", "))
}

// String is a look in a line: what it found, how its forecast held, and what the proposal changes.
func (l *Look) String() string {
	text := fmt.Sprintf("%s %s: %s", l.Report.To.Format(time.RFC3339), l.Report.Run, l.drifted())
	if l.Held != nil {
		text += fmt.Sprintf("; %d of %d figures as forecast", l.Held.Inside, l.Held.Figures)
	}
	if l.Proposed == nil {
		return text
	}
	for _, c := range l.Proposed.Change {
		if (c.Metric == "ttft" || c.Metric == "e2e") && c.Quantile == 0 {
			text += fmt.Sprintf("; proposal: %s %s %% (%s to %s)", c.Metric, figure.Signed(100*c.Mean, 1), figure.Signed(100*c.Low, 1), figure.Signed(100*c.High, 1))
		}
	}
	return text
}
