// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"cmp"
	"context"
	"math"
	"slices"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// The assumptions of a scenario that may move.
const (
	Traffic   = "traffic"
	Lengths   = "lengths"
	HitShares = "hit share"
	StepTime  = "step time"
)

// A Cause is an assumption, and how much of the error it explains.
type Cause struct {
	Assumption string `json:"assumption"`
	// Changes say how the measured value differs from that of the scenario.
	Changes []Change `json:"changes"`
	// Error is the typical error of all checks if this assumption alone is as measured, in half
	// widths of their intervals. Explained is the share of the error that goes away.
	Error     float64 `json:"error"`
	Explained float64 `json:"explained"`
}

// A Change is an input of the scenario and what was measured.
type Change struct {
	Input    string   `json:"input"`
	Stated   float64  `json:"stated"`
	Measured float64  `json:"measured"`
	Unit     Unit     `json:"unit"`
	Ratio    *float64 `json:"ratio,omitempty"`
}

// Causes are all assumptions, the one that explains most first.
type Causes struct {
	// Error is the typical error with all assumptions as the scenario states them.
	Error  float64 `json:"error"`
	Causes []Cause `json:"causes"`
	// Measured is the scenario with all assumptions as measured.
	Measured Assumptions `json:"-"`
	// Notes say which assumptions could not be tried.
	Notes []string `json:"notes,omitempty"`
}

// Most is the assumption that explains most; "" where none explains a tenth of the error.
func (c *Causes) Most() string {
	if len(c.Causes) == 0 || c.Causes[0].Explained < 0.1 {
		return ""
	}
	return c.Causes[0].Assumption
}

// rounds is how often an assumption is corrected that a simulation must find.
const rounds = 3

// blamer plays a scenario with other assumptions.
type blamer struct {
	stage    *Stage
	maker    Maker
	options  *Options
	measures []Measure
	measured Figures
	checks   []Check
	stated   Prediction
	// means are the measured ones.
	means map[string]float64
}

// Blame plays the scenario again with one assumption at a time as it was measured, and says which
// takes away most of the error. How long a step takes is not measured apart from what is in the
// batch: it is what is left of the time between tokens when all other assumptions are as measured.
func Blame(ctx context.Context, stage *Stage, maker Maker, measures []Measure, measured Figures, stated Prediction, checks []Check, o *Options) (*Causes, error) {
	b := &blamer{stage: stage, maker: maker, options: o, measures: measures, measured: measured, checks: checks, stated: stated}
	b.means = map[string]float64{}
	for i := range measures {
		if mean, ok := (Prediction{measured}).mean(measures[i].Name()); ok {
			b.means[measures[i].Name()] = mean
		}
	}
	causes := &Causes{Error: b.distance(stated)}
	together := AsStated()
	for _, try := range []func(context.Context, *Causes, *Assumptions) error{b.traffic, b.lengths, b.hits, b.steps} {
		if err := try(ctx, causes, &together); err != nil {
			return nil, err
		}
	}
	causes.Measured = together
	slices.SortStableFunc(causes.Causes, func(x, y Cause) int { return cmp.Compare(x.Error, y.Error) })
	return causes, nil
}

// play plays the scenario with assumptions under a few seeds.
func (b *blamer) play(ctx context.Context, a Assumptions) (Prediction, error) {
	o := *b.options
	o.Progress = nil
	return Predict(ctx, b.stage, b.maker, o.Seeds[:min(o.CauseSeeds, len(o.Seeds))], a, b.measures, &o)
}

// distance is the typical distance of the measured values from predicted ones in half widths of the
// intervals: the geometric mean of one more than each, less one. So one wild figure does not count
// for all.
func (b *blamer) distance(p Prediction) float64 {
	sum, n := 0.0, 0.0
	for i := range b.checks {
		c := &b.checks[i]
		values := p.values(c.name, c.hour%b.stage.Window.Hours)
		if c.margin <= 0 || len(values) == 0 {
			continue
		}
		mean := 0.0
		for _, v := range values {
			mean += v / float64(len(values))
		}
		sum += stats.Log1p(math.Abs(c.Measured-mean) / c.margin)
		n++
	}
	if n == 0 {
		return 0
	}
	return stats.Exp(sum/n) - 1
}

// add tries an assumption alone.
func (b *blamer) add(ctx context.Context, causes *Causes, name string, a Assumptions, changes []Change) error {
	p, err := b.play(ctx, a)
	if err != nil {
		return err
	}
	c := Cause{Assumption: name, Changes: changes, Error: b.distance(p)}
	if causes.Error > 0 {
		c.Explained = 1 - c.Error/causes.Error
	}
	causes.Causes = append(causes.Causes, c)
	return nil
}

// change is how an input differs; ok is false where one side has no value, or 0.
func (b *blamer) change(measure string, unit Unit) (c Change, ok bool) {
	stated, hasStated := b.stated.mean(measure)
	measured, hasMeasured := b.means[measure]
	c = Change{Input: measure, Stated: stated, Measured: measured, Unit: unit}
	if stated > 0 {
		c.Ratio = new(measured / stated)
	}
	return c, hasStated && hasMeasured && stated > 0 && measured > 0
}

// traffic is the rate of the arrivals; that of the requests that the engines end where the EPP's is
// not known.
func (b *blamer) traffic(ctx context.Context, causes *Causes, together *Assumptions) error {
	c, ok := b.change(arrivalRate, PerSecond)
	if !ok {
		c, ok = b.change(requestRate, PerSecond)
	}
	if !ok {
		causes.Notes = append(causes.Notes, "traffic: the rate of requests is not known")
		return nil
	}
	config, err := b.maker(b.options.Seeds[0])
	if err != nil {
		return err
	}
	if config.Listener != nil {
		causes.Notes = append(causes.Notes, "traffic: clients wait for answers, so the rate of their requests is no assumption")
		return nil
	}
	a := AsStated()
	a.Rate, together.Rate = *c.Ratio, *c.Ratio
	return b.add(ctx, causes, Traffic, a, []Change{c})
}

// lengths are those of prompts and answers.
func (b *blamer) lengths(ctx context.Context, causes *Causes, together *Assumptions) error {
	a := AsStated()
	var changes []Change
	for _, length := range []struct {
		measure     string
		alone, with *float64
	}{{promptTokens, &a.Prompt, &together.Prompt}, {outputTokens, &a.Output, &together.Output}} {
		if c, ok := b.change(length.measure, Tokens); ok {
			*length.alone, *length.with = *c.Ratio, *c.Ratio
			changes = append(changes, c)
		}
	}
	if len(changes) == 0 {
		causes.Notes = append(causes.Notes, "lengths: those of prompts and answers are not known")
		return nil
	}
	return b.add(ctx, causes, Lengths, a, changes)
}

// hits is the share of the prompt tokens that are in caches. How many prompts must be like or
// unlike others for the measured share is found by trying.
func (b *blamer) hits(ctx context.Context, causes *Causes, together *Assumptions) error {
	stated, known := b.stated.mean(hitShare)
	wanted, ok := b.means[hitShare]
	if !known || !ok {
		causes.Notes = append(causes.Notes, "hit share: it is not known")
		return nil
	}
	a, err := b.withHits(ctx, AsStated(), stated, wanted)
	if err != nil {
		return err
	}
	*together, err = b.withHits(ctx, *together, math.NaN(), wanted)
	if err != nil {
		return err
	}
	c := Change{Input: hitShare, Stated: stated, Measured: wanted, Unit: Share}
	if stated > 0 {
		c.Ratio = new(wanted / stated)
	}
	return b.add(ctx, causes, HitShares, a, []Change{c})
}

// nearShare is a difference between hit shares that is not looked at.
const nearShare = 0.002

// withHits changes prompts until the hit share is the wanted one. found is that without a change;
// NaN if it is to be found.
func (b *blamer) withHits(ctx context.Context, a Assumptions, found, wanted float64) (Assumptions, error) {
	for range rounds {
		if math.IsNaN(found) {
			p, err := b.play(ctx, a)
			if err != nil {
				return a, err
			}
			found, _ = p.mean(hitShare)
		}
		if math.Abs(found-wanted) < nearShare {
			return a, nil
		}
		a.Unlike, a.Alike = corrected(a.Unlike, a.Alike, found, wanted)
		found = math.NaN()
	}
	return a, nil
}

// corrected returns the shares of prompts to rewrite after a hit share was found with some: a share
// of the hits is lost with as many prompts, and a share of the misses is won.
func corrected(unlike, alike, found, wanted float64) (float64, float64) {
	at := alike - unlike
	if found > wanted {
		at -= (1 + min(at, 0)) * (found - wanted) / found
	} else {
		at += (1 - max(at, 0)) * (wanted - found) / (1 - found)
	}
	at = min(max(at, -1), 1)
	return max(-at, 0), max(at, 0)
}

// steps is the duration of steps.
func (b *blamer) steps(ctx context.Context, causes *Causes, together *Assumptions) error {
	wanted, ok := b.means[itl]
	if _, known := b.stated.mean(itl); !ok || !known {
		causes.Notes = append(causes.Notes, "step time: the time between tokens is not known")
		return nil
	}
	for range rounds {
		p, err := b.play(ctx, *together)
		if err != nil {
			return err
		}
		found, ok := p.mean(itl)
		if !ok || found <= 0 || math.Abs(wanted/found-1) < 0.005 {
			break
		}
		together.Step *= wanted / found
	}
	a := AsStated()
	a.Step = together.Step
	return b.add(ctx, causes, StepTime, a, []Change{{Input: "step", Stated: 1, Measured: a.Step, Unit: Count, Ratio: new(a.Step)}})
}
