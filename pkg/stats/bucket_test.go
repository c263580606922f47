// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"math"
	"testing"
)

func TestBucketsCoverEveryValueOnce(t *testing.T) {
	next := int64(0)
	for block := range blocks {
		for sub := range subBuckets {
			low, width := boundsOf(block, sub)
			if low != next {
				t.Fatalf("bucket (%d, %d) begins at %d, want %d", block, sub, low, next)
			}
			if low < 1024 && width != 1 || width > 1 && width > low>>subBucketBits {
				t.Errorf("bucket (%d, %d) from %d is %d wide", block, sub, low, width)
			}
			last := low + (width - 1)
			for _, v := range []int64{low, low + width/2, last} {
				if b, s := bucketOf(uint64(v)); b != block || s != sub {
					t.Fatalf("%d is counted in (%d, %d), want (%d, %d)", v, b, s, block, sub)
				}
			}
			if last == math.MaxInt64 && (block != blocks-1 || sub != subBuckets-1) {
				t.Fatalf("buckets end at (%d, %d)", block, sub)
			}
			next = last + 1 // wraps after the last bucket, where nothing looks at it
		}
	}
	if next != math.MinInt64 {
		t.Errorf("buckets end before %d", next)
	}
}
