// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"windtunnel.dev/windtunnel/pkg/stats"
)

// A tieBreaker chooses one of n ≥ 1 candidates that are as good as each other.
// It is asked for each pick, so also where n is 1.
type tieBreaker interface {
	of(n int) int
}

// tieBreaker makes that of one picker.
func (b *builder) tieBreaker(random *stats.Stream) tieBreaker {
	switch b.TieBreak {
	case TieFirst:
		return firstOfTie{}
	case TieRotate:
		return &b.rotation
	default:
		return randomOfTie{random}
	}
}

type firstOfTie struct{}

func (firstOfTie) of(int) int { return 0 }

type randomOfTie struct{ random *stats.Stream }

// of draws only where there is a choice.
func (r randomOfTie) of(n int) int {
	if n == 1 {
		return 0
	}
	return r.random.IntN(n)
}

// A rotation counts the picks, those without a tie too.
type rotation struct{ picks uint64 }

func (r *rotation) of(n int) int {
	i := r.picks % uint64(n)
	r.picks++
	return int(i)
}
