// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"iter"
	"math"
	"slices"

	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/search"
)

// found is what one search found, and what it took.
type found struct {
	curve curve
	// point is the best one, in words, and confirmed what it and the baseline
	// come to under seeds that no search met.
	point               string
	confirmed, baseline float64
	// losses are those of all points that were tried in full, by their words.
	losses map[string]float64
	// requests are all that were simulated for the search, confirmation aside,
	// and effort is the same in full trials.
	requests int
	effort   float64
	rungs    []search.Rung
}

// curve is the best loss so far by effort: a step wherever a trial is better
// than all before it.
type curve []step

type step struct {
	effort float64 // in full trials
	loss   float64
}

// at is the best loss within an effort; none before the first trial in full.
func (c curve) at(effort float64) (loss float64, ok bool) {
	// The efforts of thirds do not add up to whole numbers.
	const slack = 1e-6
	for _, s := range c {
		if s.effort > effort+slack {
			break
		}
		loss, ok = s.loss, true
	}
	return loss, ok
}

// best is the last loss.
func (c curve) best() float64 { return c[len(c)-1].loss }

// readFound goes through a study's rows, trial by trial. requests are those of a
// full simulation.
func readFound(p *experiment.Plan, study *study.Study, requests int) (*found, error) {
	f := &found{losses: map[string]float64{}, rungs: study.Rungs(), baseline: math.NaN(), confirmed: math.NaN()}
	full := requests * len(p.Seeds)
	fresh := func(row *result.Row) bool { return !slices.Contains(p.Seeds, row.Seed) }
	whole := map[int][]result.Row{} // rows that are not shortened, by point
	for trial := range trials(study.Rows(), fresh) {
		id := trial[0].Point
		point, isBaseline := study.Points()[id], id == study.BaselinePoint()
		if trial[0].Share == 1 && !fresh(&trial[0]) {
			whole[id] = append(whole[id], trial...)
		}
		judged := trial
		if !fresh(&trial[0]) {
			judged = whole[id]
		}
		loss, err := meanLoss(p, judged)
		if err != nil {
			return nil, err
		}
		switch {
		case fresh(&trial[0]): // a confirmation, of the best point and of the baseline
			if isBaseline {
				f.baseline = loss
			} else {
				f.confirmed = loss
			}
			continue
		case isBaseline: // which no search had to find
			continue
		}
		f.requests += int(math.Ceil(float64(requests)*trial[0].Share)) * len(trial)
		f.effort = float64(f.requests) / float64(full)
		if len(whole[id]) < len(p.Seeds) {
			continue
		}
		f.losses[point.String()] = loss
		if len(f.curve) == 0 || loss < f.curve.best() {
			f.curve = append(f.curve, step{f.effort, loss})
			f.point = point.String()
		}
	}
	if math.IsNaN(f.confirmed) { // the baseline was the best
		f.confirmed = f.baseline
	}
	if len(f.curve) == 0 {
		return nil, fmt.Errorf("%s: no point was tried in full", p.Search.Algorithm)
	}
	return f, nil
}

// meanLoss is the mean of the first objective over a trial's rows.
func meanLoss(p *experiment.Plan, rows []result.Row) (float64, error) {
	if len(rows) == 0 {
		return math.NaN(), nil // a shortened trial has nothing to compare
	}
	sum := 0.0
	for i := range rows {
		value, ok := rows[i].Metrics.Get(p.Objectives[0].Metric)
		if !ok {
			return 0, fmt.Errorf("point %d has no %s: %s", rows[i].Point, p.Objectives[0].Metric, rows[i].Error)
		}
		sum += value
	}
	return sum / float64(len(rows)), nil
}

// trials cuts rows where another trial begins: of another point or share, under
// the same seeds once more, or under fresh ones.
func trials(rows []result.Row, fresh func(*result.Row) bool) iter.Seq[[]result.Row] {
	same := func(a, b *result.Row) bool {
		return a.Point == b.Point && a.Share == b.Share && a.Seed < b.Seed && fresh(a) == fresh(b)
	}
	return func(yield func([]result.Row) bool) {
		for len(rows) > 0 {
			end := 1
			for end < len(rows) && same(&rows[end-1], &rows[end]) {
				end++
			}
			if !yield(rows[:end]) {
				return
			}
			rows = rows[end:]
		}
	}
}
