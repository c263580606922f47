// SPDX-License-Identifier: Apache-2.0

package search

import (
	"cmp"
	"slices"
)

// ledger sums up what became of points that were tried with all requests.
type ledger struct {
	full       int // seeds of a full trial
	objectives int
	baseline   Values // nil without a baseline
	trials     []*Trial
	index      map[string]int // into trials, by point
	used       int            // seeds of the sequence that anybody met
}

func newLedger(p *problem) *ledger {
	return &ledger{full: p.Seeds, objectives: p.Objectives, baseline: p.Baseline, index: map[string]int{}}
}

func (l *ledger) tell(trials []Trial) {
	for i := range trials {
		t := trials[i]
		l.used = max(l.used, t.Effort.First+t.Effort.Seeds)
		if t.Effort.Share == 1 {
			l.add(&t)
		}
	}
}

// add joins seeds to those before them, from the first one on.
func (l *ledger) add(t *Trial) {
	key := t.Point.key()
	i, known := l.index[key]
	switch {
	case !known && t.Effort.First == 0:
		l.index[key] = len(l.trials)
		l.trials = append(l.trials, t)
	case known && !l.trials[i].Failed() && t.Effort.First == len(l.trials[i].Samples):
		joined := l.trials[i].and(*t)
		l.trials[i] = &joined
	}
}

// of returns what is known of a point, nil where nothing is.
func (l *ledger) of(p Values) *Trial {
	if i, known := l.index[p.key()]; known {
		return l.trials[i]
	}
	return nil
}

// complete returns the trials that have all seeds of a full one.
func (l *ledger) complete() []*Trial {
	var complete []*Trial
	for _, t := range l.trials {
		if !t.Failed() && len(t.Samples) >= l.full {
			complete = append(complete, t)
		}
	}
	return complete
}

// best returns the best complete trial, by the seeds of a full one, whoever has
// more; nil without a complete trial. Further objectives decide between trials that
// are equal in the first, and of trials that are equal in all, the baseline is best.
func (l *ledger) best() *Trial {
	complete := l.complete()
	if len(complete) == 0 {
		return nil
	}
	best := slices.MinFunc(complete, l.compare)
	if base := l.of(l.baseline); l.objectives > 0 && base != nil && slices.Contains(complete, base) && l.compare(base, best) == 0 {
		return base
	}
	return best
}

// compare compares complete trials by the seeds of a full one.
func (l *ledger) compare(a, b *Trial) int {
	a, b = a.first(l.full), b.first(l.full)
	return cmp.Or(compare(a, b), slices.Compare(a.Losses()[:l.objectives], b.Losses()[:l.objectives]))
}

// bestAndBaseline returns the points that a search ends with: the best, if
// there is one, and the baseline, if it is another.
func (l *ledger) bestAndBaseline(baseline Values) []Values {
	var points []Values
	if best := l.best(); best != nil {
		points = append(points, best.Point)
	}
	if baseline != nil && (len(points) == 0 || !slices.Equal(points[0], baseline)) {
		points = append(points, baseline)
	}
	return points
}
