// SPDX-License-Identifier: Apache-2.0

package adaptive

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// exp3 draws the weight of prefixes of each epoch from a grid. A weight is drawn more
// often the more goodput its epochs had: the requests that ended within their targets ÷
// arrivals, at most 1. The weight of load stays. (Auer et al.: The Nonstochastic
// Multiarmed Bandit Problem, 2002.)
type exp3 struct {
	gamma  float64
	grid   []float64
	random *stats.Stream

	// logs are the logarithms of the arms' weights: sums of their rewards.
	logs, chances []float64
	arm           int // of the epoch under way; -1 in the first one
}

func readEXP3(l *loader) func(world) law {
	gamma := l.Between("gamma", 0.001, 1, 0.1, "the share of epochs that explore")
	grid := l.Numbers("grid", "the weights of prefixes to choose from, such as 1,2,3,4,5")
	if len(grid) == 1 {
		l.Invalid("grid", "must have two weights or more")
	}
	l.learnsFromGoodput = true
	return func(w world) law {
		e := &exp3{gamma: gamma, random: stats.NewStream(w.seed, "adaptive/exp3"), arm: -1}
		for _, prefix := range grid {
			if prefix/w.start.Load <= w.most {
				e.grid = append(e.grid, prefix)
			}
		}
		if len(e.grid) == 0 {
			e.grid = []float64{w.start.Prefix}
		}
		e.logs, e.chances = make([]float64, len(e.grid)), make([]float64, len(e.grid))
		return e
	}
}

func (e *exp3) next(now Weights, s Signal) (Weights, bool) {
	if s.Completed == 0 && s.Rejected == 0 {
		return now, false
	}
	arms := float64(len(e.grid))
	if e.arm >= 0 {
		reward := min(float64(s.Good)/float64(s.Arrived), 1)
		e.logs[e.arm] += e.gamma * reward / float64(e.chances[e.arm]*arms)
	}
	most, sum := slices.Max(e.logs), 0.0
	for i, log := range e.logs {
		e.chances[i] = stats.Exp(log - most)
		sum += e.chances[i]
	}
	draw := e.random.Float64()
	e.arm = len(e.grid) - 1
	for i := range e.chances {
		e.chances[i] = float64((1-e.gamma)*e.chances[i]/sum) + e.gamma/arms
	}
	for i, chance := range e.chances {
		if draw -= chance; draw < 0 {
			e.arm = i
			break
		}
	}
	return Weights{Prefix: e.grid[e.arm], Load: now.Load}, true
}
