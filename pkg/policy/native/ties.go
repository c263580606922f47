// SPDX-License-Identifier: Apache-2.0

package native

import "windtunnel.dev/windtunnel/pkg/stats"

// ties choose among equals.
type ties struct {
	how    string
	stream *stats.Stream
	turn   int
	equal  []int // scratch
}

func newTies(b *builder) ties {
	return ties{how: b.ties, stream: stats.NewStream(b.seed, "native/ties"), equal: make([]int, 0, b.endpoints)}
}

// best returns the index of one of the greatest values. A draw is only made where
// there are several.
func (t *ties) best(values []float64) int {
	t.equal = t.equal[:0]
	for i, v := range values {
		switch {
		case len(t.equal) > 0 && v < values[t.equal[0]]:
		case len(t.equal) > 0 && v == values[t.equal[0]]:
			t.equal = append(t.equal, i)
		default:
			t.equal = append(t.equal[:0], i)
		}
	}
	return t.one()
}

// among returns one of some indices that are equal. They are in ascending order.
func (t *ties) among(equal []int) int {
	t.equal = append(t.equal[:0], equal...)
	return t.one()
}

func (t *ties) one() int {
	if len(t.equal) == 1 {
		return t.equal[0]
	}
	switch t.how {
	case tieFirst:
		return t.equal[0]
	case tieRotate:
		t.turn++
		return t.equal[(t.turn-1)%len(t.equal)]
	default:
		return t.equal[t.stream.IntN(len(t.equal))]
	}
}
