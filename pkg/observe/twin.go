// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"windtunnel.dev/windtunnel/internal/figure"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// A Twin follows a cluster. Each look holds the last window against the prediction, takes over the inputs that were
// measured, and says what the next window will be like as things are, and with a proposal in their place.
type Twin struct {
	Run string
	// Make is of what is in operation; Propose is of the proposal, nil without one. The traffic of both is that of the
	// beginning of their scenario, at all times.
	Make, Propose Maker
	WarmUp        time.Duration
	// Between is the time between two looks.
	Between time.Duration
	// Rules say what drift is. FalseAlarms is the probability of drift in a day in which the cluster is as predicted.
	Rules   Rules
	Options Options

	// stated caches the prediction for stages that are equal.
	stated    Prediction
	stage     *Stage
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

// day is the time that the rate of false alarms is of.
const day = 24 * time.Hour

// Look looks at a window, whose end is that of the look. The windows of several looks may overlap.
func (t *Twin) Look(ctx context.Context, w Window, measured *Recording) (*Look, error) {
	q := Question{
		Run: t.Run, Make: t.Make, WarmUp: t.WarmUp, Window: w, Measured: measured, Rules: t.rulesOfLook(), Options: t.Options,
	}
	if figures, _ := w.Figures(measured, Measures()); len(known(Measures(), figures)) == 0 {
		return nil, ErrNothingMeasured
	}
	stage := q.stage()
	if t.stated == nil || !sameStage(stage, t.stage) {
		stated, err := Predict(ctx, stage, t.Make, t.Options.Seeds, AsStated(), Measures(), &t.Options)
		if err != nil {
			return nil, err
		}
		t.stated, t.stage = stated, stage
	}
	report, found, err := q.hold(ctx, stage, t.stated)
	if err != nil {
		return nil, err
	}
	l := &Look{Report: report, Inputs: found.inputs(t.stated, t.takesTraffic())}
	if report.Causes != nil {
		l.Inputs = report.Causes.Measured
	}
	l.Held = t.held(&w, found)
	return l, t.forecast(ctx, l, stage)
}

// rulesOfLook divides the rate of false alarms by the looks of a day.
func (t *Twin) rulesOfLook() Rules {
	r := t.Rules
	r.FalseAlarms *= float64(min(t.Between, day)) / float64(day)
	return r
}

// sameStage reports whether two stages predict the same, whatever the date.
func sameStage(a, b *Stage) bool {
	return a.Window.Every == b.Window.Every && a.Window.Interval == b.Window.Interval && a.Window.Hours == b.Window.Hours && a.WarmUp == b.WarmUp &&
		sameBounds(a.Bounds, b.Bounds)
}

func sameBounds(a, b map[string][]float64) bool {
	for name, bounds := range a {
		if !slices.Equal(bounds, b[name]) {
			return false
		}
	}
	return len(a) == len(b)
}

// takesTraffic reports whether the rate of the arrivals is an input: not where clients wait for answers.
func (t *Twin) takesTraffic() bool {
	config, err := t.Make(t.Options.Seeds[0])
	return err == nil && config.Listener == nil
}

// inputs are the traffic and the lengths that were measured, as factors of those that are predicted.
func (f Figures) inputs(stated Prediction, traffic bool) Assumptions {
	a := AsStated()
	for _, of := range []struct {
		measures []string
		factor   *float64
		is       bool
	}{{[]string{arrivalRate, requestRate}, &a.Rate, traffic}, {[]string{promptTokens}, &a.Prompt, true}, {[]string{outputTokens}, &a.Output, true}} {
		for _, name := range of.measures {
			measured, known := (Prediction{f}).mean(name)
			predicted, has := stated.mean(name)
			if of.is && known && has && measured > 0 && predicted > 0 {
				*of.factor = measured / predicted
				break
			}
		}
	}
	return a
}

// forecast says what the next window will be like.
func (t *Twin) forecast(ctx context.Context, l *Look, stage *Stage) error {
	now, err := Predict(ctx, stage, t.Make, t.Options.Seeds, l.Inputs, Measures(), &t.Options)
	if err != nil {
		return err
	}
	w := l.Report.window
	l.Forecast = newForecast(&w, now, t.Rules.Confidence)
	t.forecasts = append(t.forecasts, l.Forecast)
	if t.Propose == nil {
		return nil
	}
	then, err := Predict(ctx, stage, t.Propose, t.Options.Seeds, l.Inputs, Measures(), &t.Options)
	if err != nil {
		return err
	}
	l.Proposed = newForecast(&w, then, t.Rules.Confidence)
	l.Proposed.changes(now, then, t.Rules.Confidence)
	return nil
}

// newForecast makes intervals for the window after another one. The inputs are themselves measured in one window, and
// have the same luck in them as the next window has: so an interval is wider by the root of two than one of a scenario.
func newForecast(w *Window, p Prediction, confidence float64) *Forecast {
	lasts := time.Duration(w.Hours) * w.Every
	f := &Forecast{From: w.To(), To: w.To().Add(lasts)}
	for _, m := range Measures() {
		values := p.values(m.Name(), 0)
		if len(values) < leastSeeds {
			continue
		}
		of := stats.Prediction(values, confidence)
		half := math.Sqrt2 * (of.High - of.Mean)
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
	if most := l.Report.Causes.Most(); most != "" {
		return "drift, mainly in the " + most
	}
	return "drift, which no assumption explains"
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
