// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"math/rand/v2"
)

// A door is a way to have a program evaluated. It answers with the score, and with the text
// that the loop on its other side is given.
type door interface {
	evaluate(ctx context.Context, source string, seed int64, summary bool) (score float64, text string, err error)
}

// A scale is how much the study does.
type scale struct {
	seeds int
	// most bounds the evaluations of a loop.
	most int
}

var fullScale = scale{seeds: 20, most: 150}

// target is the score that a loop is to reach.
const target = 0.95

// climb improves the flawed program until it has the target, and returns how many evaluations
// that took, and whether it got there. A child that is as good as its parent takes its place.
// The seed is that of the requests, and of what the mutator draws.
func climb(ctx context.Context, d door, seed int64, summary bool, most int) (evaluations int, reached bool, err error) {
	names := knobs()
	rng := rand.New(rand.NewPCG(uint64(seed), 0))
	parent := flawed(names)
	best, text, err := d.evaluate(ctx, parent.source(names), seed, summary)
	if err != nil {
		return 0, false, err
	}
	tried := map[mutation]bool{}
	for evaluations = 1; best < target && evaluations < most; evaluations++ {
		m, ok := next(parent, text, names, tried, rng)
		if !ok {
			return evaluations, false, nil
		}
		tried[m] = true
		child := parent.with(m)
		score, told, err := d.evaluate(ctx, child.source(names), seed, summary)
		if err != nil {
			return 0, false, err
		}
		if score >= best {
			// The way back leads to what is known to be no better.
			parent, best, text, tried = child, score, told, map[mutation]bool{{m.knob, -m.by}: true}
		}
	}
	return evaluations, best >= target, nil
}
