// SPDX-License-Identifier: Apache-2.0

package result

import (
	"math"
	"slices"
)

// Imbalance is the coefficient of variation over the replicas of a pool, standard
// deviation ÷ mean: 0 where all are equal, √(n − 1) where one of n has it all. Of several
// pools it is that of the pool where it is greatest.
type Imbalance struct {
	// Requests are those that a replica served, Tokens those of their prompts and
	// answers.
	Requests float64 `json:"requests"`
	Tokens   float64 `json:"tokens"`
}

const imbalance = "imbalance"

// imbalances are of what routers send to replicas.
var imbalances = subject{
	gather: func(in *selection, g *Group) {
		if g.Replicas != nil && in.meta.asksFor(imbalance) {
			g.Replicas.Imbalance = in.imbalance()
		}
	},
	families: []family{family{name: imbalance, labels: replicaLabels, statistics: []statistic{
		imbalanceOf("requests", "requests served by each replica", func(i *Imbalance) float64 { return i.Requests }),
		imbalanceOf("tokens", "tokens of the prompts and answers served by each replica", func(i *Imbalance) float64 { return i.Tokens }),
	}}.whereAsked()},
}

func imbalanceOf(name, of string, value func(*Imbalance) float64) statistic {
	return statistic{
		name: name, unit: Ratio, direction: Minimize,
		help: "standard deviation ÷ mean over the replicas of a pool of the " + of + "; of several pools that with the greatest",
		value: ofReplicas(func(r *Replicas) (float64, bool) {
			if r.Imbalance == nil {
				return 0, false
			}
			return value(r.Imbalance), true
		}),
	}
}

// imbalance returns nil where no pool has two replicas, or none has served anything.
func (in *selection) imbalance() *Imbalance {
	var worst *Imbalance
	for pool := range in.outcome.Pools {
		if !in.serves(pool) {
			continue
		}
		var requests, tokens []float64
		for use := range usesOf(in.outcome, func(p int) bool { return p == pool }) {
			if use.Present() > 0 {
				requests, tokens = append(requests, float64(use.Served)), append(tokens, float64(use.ServedTokens))
			}
		}
		if len(requests) < 2 || slices.Max(requests) == 0 {
			continue
		}
		if worst == nil {
			worst = &Imbalance{}
		}
		worst.Requests = max(worst.Requests, variation(requests))
		worst.Tokens = max(worst.Tokens, variation(tokens))
	}
	return worst
}

// variation is the coefficient of variation of numbers that are not all 0.
func variation(xs []float64) float64 {
	average, squares := mean(xs), 0.0
	for _, x := range xs {
		squares += float64((x - average) * (x - average))
	}
	return math.Sqrt(squares/float64(len(xs))) / average
}
