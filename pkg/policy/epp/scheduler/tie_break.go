// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"math"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// A TieBreaker chooses one of n ≥ 1 candidates that are as good as each other.
// It is asked for each pick, so also where n is 1.
type TieBreaker interface {
	Of(n int) int
}

// TieBreaker makes that of one picker.
func (b *Builder) TieBreaker(random *stats.Stream) TieBreaker {
	switch b.TieBreak {
	case config.TieFirst:
		return firstOfTie{}
	case config.TieRotate:
		return &b.rotation
	default:
		return RandomOfTie{random}
	}
}

type firstOfTie struct{}

func (firstOfTie) Of(int) int { return 0 }

// RandomOfTie takes any candidate, each with the same probability.
type RandomOfTie struct{ random *stats.Stream }

// Of draws only where there is a choice.
func (r RandomOfTie) Of(n int) int {
	if n == 1 {
		return 0
	}
	return r.random.IntN(n)
}

// A rotation counts the picks, those without a tie too.
type rotation struct{ picks uint64 }

func (r *rotation) Of(n int) int {
	i := r.picks % uint64(n)
	r.picks++
	return int(i)
}

// TiedAtTop counts the scores that no other one exceeds.
func TiedAtTop(scores []float64) int {
	tied, highest := 0, math.Inf(-1)
	for _, score := range scores {
		switch {
		case score > highest:
			tied, highest = 1, score
		case score == highest:
			tied++
		}
	}
	return tied
}
