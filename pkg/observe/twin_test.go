// SPDX-License-Identifier: Apache-2.0

package observe_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/observe"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload"
)

const (
	twinWindow   = 5 * time.Minute
	twinBetween  = time.Minute
	twinInterval = 15 * time.Second
)

// A moved source has other requests from a time on.
type moved struct {
	workload.Source
	at     simtime.Time
	change func(r *workload.Request, after simtime.Time)
}

func (m moved) Next() (workload.Request, bool) {
	r, ok := m.Source.Next()
	if ok && r.Arrival >= m.at {
		m.change(&r, m.at)
	}
	return r, ok
}

// movedLengths, movedTraffic and movedPrompts are changes by a fifth: longer answers, more requests, and prompts that
// share nothing.
func movedLengths(r *workload.Request, _ simtime.Time) {
	r.OutputTokens = int(math.Round(1.2 * float64(r.OutputTokens)))
}

func movedTraffic(r *workload.Request, after simtime.Time) {
	r.Arrival = after + (r.Arrival-after)*5/6
}

func movedPrompts(r *workload.Request, _ simtime.Time) {
	if r.ID%5 == 0 {
		r.Prompt = prompt.Prompt{Extents: []prompt.Extent{{Source: stats.Hash64(1<<63, uint64(r.ID)), Tokens: int32(r.Prompt.Tokens())}}}
	}
}

// play plays a cluster whose requests change at a time.
func play(tb testing.TB, played observe.Maker, seed int64, lasts, at time.Duration, change func(*workload.Request, simtime.Time)) *observe.Recording {
	tb.Helper()
	stage := &observe.Stage{
		Window: observe.Window{From: monday, Every: lasts, Interval: twinInterval, Hours: 1}, WarmUp: twinWindow, ByReplica: true,
	}
	r, err := stage.Play(tb.Context(), func(seed int64) (simulator.Config, error) {
		c, err := played(seed)
		if change != nil {
			c.Source = moved{c.Source, simtime.Time(twinWindow + at), change}
		}
		return c, err
	}, seed, observe.AsStated())
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// looks are those of a twin at a cluster that was played, from a time on.
func looks(tb testing.TB, twin *observe.Twin, played *observe.Recording, from, lasts, between time.Duration) []*observe.Look {
	tb.Helper()
	var all []*observe.Look
	for ends := from; ends <= lasts; ends += between {
		w := observe.Window{From: monday.Add(ends - twinWindow), Every: twinWindow, Interval: twinInterval, Hours: 1}
		look, err := twin.Look(tb.Context(), w, played)
		if err != nil {
			tb.Fatal(err)
		}
		all = append(all, look)
	}
	return all
}

// newTwin is a twin with the rules of the command, and seeds as it has them: as many after one for forecasts, and three times
// as many for what windows are held against.
func newTwin(tb testing.TB, first int64, n int, propose observe.Maker) *observe.Twin {
	o := *options(n)
	o.Seeds, o.ForecastSeeds = seeds(first, 3*n), n
	return &observe.Twin{Propose: propose, Observer: observe.Observer{
		Run: "cluster", Make: scenario(tb), WarmUp: 20 * time.Second, Options: o,
		Rules: observe.Rules{Confidence: 0.95, FalseAlarms: 0.01, Tolerance: 0.05}.PerLook(twinBetween),
	}}
}

// findsDrift plays a cluster whose requests change after ten minutes, and returns how long a twin takes to find it.
func findsDrift(tb testing.TB, n int, seed int64, change func(*workload.Request, simtime.Time), want string) time.Duration {
	tb.Helper()
	const at = 10 * time.Minute
	var found time.Duration
	for _, look := range looks(tb, newTwin(tb, 100*seed, n, nil), play(tb, scenario(tb), seed, at+5*time.Minute, at, change), at-time.Minute, at+5*time.Minute, twinBetween) {
		after := look.Report.To.Sub(monday.Add(at))
		switch {
		case look.Report.Drift && after <= 0:
			tb.Errorf("seed %d: drift %v before the %s move", seed, -after, want)
		case look.Report.Drift:
			if most := look.Report.Causes.Most(); most != want {
				tb.Errorf("seed %d: the cause is %q, want %q", seed, most, want)
			}
			if found == 0 {
				found = after
			}
		}
	}
	if found == 0 {
		tb.Errorf("seed %d: no drift is found within 5 minutes of other %s", seed, want)
	}
	return found
}

// atEase counts, of looks at a cluster as it is predicted, those that find drift, and the figures of all windows that lie
// where they were forecast.
func atEase(all []*observe.Look) (drifts, inside, figures int) {
	for _, look := range all {
		if look.Report.Drift {
			drifts++
		}
		if look.Held != nil {
			inside, figures = inside+look.Held.Inside, figures+look.Held.Figures
		}
	}
	return drifts, inside, figures
}

// proposed counts the figures of windows that lie where a twin of another configuration forecast them.
func proposed(tb testing.TB, n int, seed int64, lasts, between time.Duration) (inside, figures int) {
	tb.Helper()
	proposal := scenario(tb, compile.Setting{Path: "router.endpointPickerConfig.schedulingProfiles[default].plugins[prefix-cache-scorer].weight", Value: "9"})
	now, then := play(tb, scenario(tb), seed, lasts, 0, nil), play(tb, proposal, seed, lasts, 0, nil)
	for _, look := range looks(tb, newTwin(tb, 100*seed, n, proposal), now, twinWindow, lasts-twinWindow, between) {
		if len(look.Proposed.Change) == 0 {
			tb.Error("the forecast says nothing of what the proposal changes")
		}
		w := observe.Window{From: look.Proposed.From, Every: twinWindow, Interval: twinInterval, Hours: 1}
		measured, _ := w.Figures(then, observe.Measures())
		for _, m := range observe.Measures() {
			i := slices.IndexFunc(look.Proposed.Figures, func(f observe.ForecastFigure) bool { return f.Metric == m.Metric && f.Quantile == m.Quantile })
			if f := measured[m.Name()][0]; f != nil && i >= 0 {
				figures++
				if of := look.Proposed.Figures[i]; of.Low <= f.Value && f.Value <= of.High {
					inside++
				}
			}
		}
	}
	return inside, figures
}

// TestATwinFindsWhatMoves has each input that moves found within five minutes, and named.
func TestATwinFindsWhatMoves(t *testing.T) {
	for want, change := range movers {
		t.Run(want, func(t *testing.T) { t.Logf("found after %v", findsDrift(t, 12, 7001, change, want)) })
	}
}

var movers = map[string]func(*workload.Request, simtime.Time){
	observe.Lengths: movedLengths, observe.Traffic: movedTraffic, observe.HitShares: movedPrompts,
}

// TestATwinIsAtEase looks each minute for an hour and a half at a cluster that is as predicted: there is no drift, and forecasts hold
// as often as their confidence says. BenchmarkTwinDay does it for days.
func TestATwinIsAtEase(t *testing.T) {
	const lasts = 90 * time.Minute
	drifts, inside, figures := atEase(looks(t, newTwin(t, 42, 12, nil), play(t, scenario(t), 7002, lasts, 0, nil), twinWindow, lasts, twinBetween))
	if share := float64(inside) / float64(figures); drifts > 0 || figures < 1500 || share < 0.93 {
		t.Errorf("%d looks find drift, and %d of %d figures are where they were forecast (%.3f)", drifts, inside, figures, share)
	}
	t.Logf("%d of %d", inside, figures)
}

// TestATwinForecastsAProposal plays the proposal after the forecasts of it.
func TestATwinForecastsAProposal(t *testing.T) {
	inside, figures := proposed(t, 12, 7003, 30*time.Minute, 2*twinWindow)
	if share := float64(inside) / float64(figures); figures < 60 || share < 0.9 {
		t.Errorf("%d of %d figures of the proposal are in their intervals", inside, figures)
	}
}

// BenchmarkTwinDay looks each minute of whole days, each of other seeds. It also has each input move, and a proposal each hour.
// Run it with -benchtime 10x for ten days.
func BenchmarkTwinDay(b *testing.B) {
	const lasts, n = 24 * time.Hour, 20
	var drifts, inside, figures, proposedInside, proposedFigures int
	found := map[string]time.Duration{}
	for i := range b.N {
		seed := int64(9000 + i)
		d, in, all := atEase(looks(b, newTwin(b, 100*seed, n, nil), play(b, scenario(b), seed, lasts, 0, nil), twinWindow, lasts, twinBetween))
		drifts, inside, figures = drifts+d, inside+in, figures+all
		b.Logf("day %d: %d looks find drift, %d of %d figures as forecast", i, d, in, all)
		in, all = proposed(b, n, seed, lasts, time.Hour)
		proposedInside, proposedFigures = proposedInside+in, proposedFigures+all
		for cause, change := range movers { // in any order: each has its own
			after := findsDrift(b, n, seed, change, cause)
			b.Logf("%s: found after %v", cause, after)
			found[cause] = max(found[cause], after)
		}
	}
	b.ReportMetric(float64(drifts)/float64(b.N), "false-drifts/day")
	b.ReportMetric(100*float64(inside)/float64(figures), "%-as-forecast")
	b.ReportMetric(100*float64(proposedInside)/float64(proposedFigures), "%-of-proposal")
	for cause, after := range found {
		b.ReportMetric(after.Minutes(), strings.ReplaceAll(cause, " ", "-")+"-found-min")
	}
}
