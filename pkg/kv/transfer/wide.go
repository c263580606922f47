// SPDX-License-Identifier: Apache-2.0

package transfer

import "math/bits"

// wide is an unsigned integer of 128 bits.
type wide struct{ high, low uint64 }

func product(a, b uint64) wide {
	high, low := bits.Mul64(a, b)
	return wide{high, low}
}

func (a wide) plus(b wide) wide {
	low, carry := bits.Add64(a.low, b.low, 0)
	high, _ := bits.Add64(a.high, b.high, carry)
	return wide{high, low}
}

func (a wide) minus(b wide) wide {
	low, borrow := bits.Sub64(a.low, b.low, 0)
	high, _ := bits.Sub64(a.high, b.high, borrow)
	return wide{high, low}
}

func (a wide) less(b wide) bool {
	return a.high < b.high || a.high == b.high && a.low < b.low
}

// over returns a/b rounded down and the remainder. A quotient of more than 64
// bits is the largest of 64.
func (a wide) over(b uint64) (quotient, remainder uint64) {
	if a.high >= b {
		return 1<<64 - 1, 0
	}
	return bits.Div64(a.high, a.low, b)
}

// overUp returns a/b rounded up, at most the largest integer of 64 bits.
func (a wide) overUp(b uint64) uint64 {
	quotient, remainder := a.over(b)
	if remainder > 0 && quotient < 1<<64-1 {
		quotient++
	}
	return quotient
}
