// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"fmt"
	"math"
	"math/bits"
	"sync"
)

const (
	subBucketBits = 9 // 512 buckets an octave: a width of at most 2^-9 of the value
	subBuckets    = 1 << subBucketBits
	// blocks is one an octave: the longest int64 has 63 bits, and blocks 0 and 1 share the
	// first width.
	blocks = 63 - subBucketBits + 1
)

// Histogram counts non-negative integers, such as nanoseconds or tokens, in
// buckets of at most 2^-9 of their value; below 1024 every value has a bucket
// of its own. Count, sum, minimum and maximum are exact. Recording
// and merging are integer arithmetic, so that the same values in any order
// leave the same histogram. Memory is 4 KiB for each octave (values between two powers
// of two) that was met, whatever the number of values.
//
// The zero value is empty and ready. A copy shares the buckets of the
// original: only one of the two may be used on. Not safe for concurrent use.
type Histogram struct {
	count         int64
	min, max      int64
	sumHi, sumLo  uint64
	countsByBlock [blocks]*[subBuckets]int64
}

// Record counts one value. It panics where the value is negative.
func (h *Histogram) Record(v int64) {
	checkCount(v, 1)
	*h.bucket(uint64(v))++
	h.add(1, 0, uint64(v), v, v)
}

// RecordN counts a value n times. It panics where the value or n is negative.
func (h *Histogram) RecordN(v, n int64) {
	checkCount(v, n)
	if n == 0 {
		return
	}
	*h.bucket(uint64(v)) += n
	hi, lo := bits.Mul64(uint64(v), uint64(n))
	h.add(n, hi, lo, v, v)
}

func checkCount(v, n int64) {
	if v < 0 || n < 0 {
		panic(fmt.Sprintf("stats: histogram value %d, %d times", v, n))
	}
}

// Merge counts everything that other has counted; other stays as it is.
func (h *Histogram) Merge(other *Histogram) {
	if other.count == 0 {
		return
	}
	for b, counts := range other.countsByBlock {
		if counts == nil {
			continue
		}
		mine := h.block(b)
		for sub, n := range counts {
			mine[sub] += n
		}
	}
	h.add(other.count, other.sumHi, other.sumLo, other.min, other.max)
}

// add adds to everything but the buckets.
func (h *Histogram) add(n int64, sumHi, sumLo uint64, low, high int64) {
	if h.count == 0 || low < h.min {
		h.min = low
	}
	if high > h.max {
		h.max = high
	}
	var carry uint64
	h.sumLo, carry = bits.Add64(h.sumLo, sumLo, 0)
	h.sumHi += sumHi + carry
	if h.count += n; h.count < 0 {
		panic("stats: histogram count beyond int64")
	}
}

// block returns the counts of one block of buckets.
func (h *Histogram) block(b int) *[subBuckets]int64 {
	counts := h.countsByBlock[b]
	if counts == nil {
		counts = newBlock()
		h.countsByBlock[b] = counts
	}
	return counts
}

// spareBlocks are blocks of histograms that were recycled. In the simulations of a sweep, a block is 4 KiB
// for about one value.
var spareBlocks sync.Pool

func newBlock() *[subBuckets]int64 {
	spare, ok := spareBlocks.Get().(*[subBuckets]int64)
	if !ok {
		return new([subBuckets]int64)
	}
	clear(spare[:])
	return spare
}

// Recycle empties a histogram, and gives its buckets to others. Copies share its buckets, so there
// must be none.
func (h *Histogram) Recycle() {
	for _, counts := range h.countsByBlock {
		if counts != nil {
			spareBlocks.Put(counts)
		}
	}
	*h = Histogram{}
}

// bucket returns the count of the bucket of a value.
func (h *Histogram) bucket(v uint64) *int64 {
	block, sub := bucketOf(v)
	return &h.block(block)[sub]
}

// bucketOf returns where a value is counted. Values of up to ten bits lie in
// blocks 0 and 1, one a bucket; each further block is an octave, its buckets
// named by the ten leading bits, of which the first is always 1.
func bucketOf(v uint64) (block, sub int) {
	shift := bits.Len64(v|(2*subBuckets-1)) - (subBucketBits + 1)
	leading := int(v >> (shift & 63))
	return shift + leading>>subBucketBits, leading & (subBuckets - 1)
}

// boundsOf returns the least value of a bucket and how many values it has.
func boundsOf(block, sub int) (low, width int64) {
	if block == 0 {
		return int64(sub), 1
	}
	shift := block - 1
	return int64(subBuckets+sub) << shift, 1 << shift
}

// Count returns the number of values.
func (h *Histogram) Count() int64 { return h.count }

// Sum returns the exact sum of all values as high·2^64 + low.
func (h *Histogram) Sum() (high, low uint64) { return h.sumHi, h.sumLo }

// Min returns the least value; 0 of an empty histogram.
func (h *Histogram) Min() int64 { return h.min }

// Max returns the greatest value; 0 of an empty histogram.
func (h *Histogram) Max() int64 { return h.max }

// Mean returns the exact mean, rounded; 0 where there is no value.
func (h *Histogram) Mean() float64 {
	if h.count == 0 {
		return 0
	}
	// The quotient is at most max, so it fits.
	whole, rest := bits.Div64(h.sumHi, h.sumLo, uint64(h.count))
	return float64(whole) + float64(rest)/float64(h.count)
}

// Quantile returns the value below which a share q of the values lies; 0 where
// there is none. It interpolates between the two values nearest to position
// q·(count-1) in sorted order, as spreadsheets and numpy do by default. The
// extremes are exact, values below 1024 are exact, others are known to within
// their bucket, over which its values are taken to spread evenly. It panics
// where q is not in [0, 1].
func (h *Histogram) Quantile(q float64) float64 {
	if !(q >= 0 && q <= 1) {
		panic(fmt.Sprintf("stats: quantile %v", q))
	}
	if h.count == 0 {
		return 0
	}
	position := float64(q * float64(h.count-1))
	whole := math.Floor(position)
	rank := int64(whole)
	low, high := h.ranked(rank)
	if position == whole {
		return low
	}
	return low + float64((position-whole)*(high-low))
}

// ranked estimates the value at a position of the sorted values, from 0, and the value after it.
// Neither decreases with the rank.
func (h *Histogram) ranked(rank int64) (value, next float64) {
	value, next = float64(h.min), float64(h.max)
	if rank >= h.count-1 {
		return next, next
	}
	found, before := rank <= 0, int64(0)
	for b, counts := range h.countsByBlock {
		if counts == nil {
			continue
		}
		for sub, n := range counts {
			if before+n <= rank {
				before += n
				continue
			}
			if !found {
				value, found = h.inBucket(b, sub, rank-before, n), true
			}
			switch {
			case rank+1 >= h.count-1:
				return value, next
			case rank+1 < before+n:
				return value, h.inBucket(b, sub, rank+1-before, n)
			}
			before += n
		}
	}
	panic("stats: histogram holds fewer values than it counted")
}

// inBucket estimates the value at a position among the n of a bucket, which are taken to lie evenly.
func (h *Histogram) inBucket(b, sub int, position, n int64) float64 {
	low, width := boundsOf(b, sub)
	share := (float64(position) + 0.5) / float64(n)
	value := float64(low) + float64(float64(width-1)*share)
	return math.Min(math.Max(value, float64(h.min)), float64(h.max))
}
