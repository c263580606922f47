// SPDX-License-Identifier: Apache-2.0

package stats

import "math/bits"

// An Outline is a [Histogram] in few buckets: each octave (the values between two powers of
// two) has 2^Bits of them, and values below 2^(Bits+1) have a bucket of their own. Lows are
// the least values of the buckets that hold some, in ascending order, and Counts how many
// values each holds.
type Outline struct {
	Bits   int     `json:"bits"`
	Lows   []int64 `json:"lows"`
	Counts []int64 `json:"counts"`
}

// Outline returns the histogram in at most a number of buckets, of which the finest that keep to
// that are taken. There are at least 63, one for each octave of an int64.
func (h *Histogram) Outline(points int) Outline {
	o := Outline{Bits: subBucketBits, Lows: []int64{}, Counts: []int64{}}
	for b, counts := range h.countsByBlock {
		if counts == nil {
			continue
		}
		for sub, n := range counts {
			if n > 0 {
				low, _ := boundsOf(b, sub)
				o.Lows, o.Counts = append(o.Lows, low), append(o.Counts, n)
			}
		}
	}
	return o.fit(points)
}

// Merge returns an outline of the values of both in at most a number of buckets. It is that of
// the histogram of all of them, so that the order of merging does not matter.
func (o Outline) Merge(other Outline, points int) Outline {
	resolution := min(o.Bits, other.Bits)
	a, b := o.at(resolution), other.at(resolution)
	sum := Outline{Bits: resolution, Lows: []int64{}, Counts: []int64{}}
	for i, j := 0, 0; i < len(a.Lows) || j < len(b.Lows); {
		if j == len(b.Lows) || i < len(a.Lows) && a.Lows[i] <= b.Lows[j] {
			sum.add(a.Lows[i], a.Counts[i])
			i++
		} else {
			sum.add(b.Lows[j], b.Counts[j])
			j++
		}
	}
	return sum.fit(points)
}

// Above is the least value above those of bucket i.
func (o Outline) Above(i int) int64 { return o.Lows[i] + 1<<o.shift(o.Lows[i]) }

// Count is how many values there are.
func (o Outline) Count() int64 {
	sum := int64(0)
	for _, n := range o.Counts {
		sum += n
	}
	return sum
}

// fit makes buckets wider until there are at most this number.
func (o Outline) fit(points int) Outline {
	for len(o.Lows) > points && o.Bits > 0 {
		o = o.at(o.Bits - 1)
	}
	return o
}

// at returns the outline with at most as many buckets an octave as it has.
func (o Outline) at(resolution int) Outline {
	if resolution == o.Bits {
		return o
	}
	coarse := Outline{Bits: resolution, Lows: []int64{}, Counts: []int64{}}
	for i, low := range o.Lows {
		shift := coarse.shift(low)
		coarse.add(low>>shift<<shift, o.Counts[i])
	}
	return coarse
}

// add counts values of a bucket that comes after all others, or is the last of them.
func (o *Outline) add(low, n int64) {
	if last := len(o.Lows) - 1; last >= 0 && o.Lows[last] == low {
		o.Counts[last] += n
		return
	}
	o.Lows, o.Counts = append(o.Lows, low), append(o.Counts, n)
}

// shift is the logarithm of the width of a value's bucket.
func (o Outline) shift(v int64) int { return max(bits.Len64(uint64(v))-(o.Bits+1), 0) }
