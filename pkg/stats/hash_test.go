// SPDX-License-Identifier: Apache-2.0

package stats_test

import (
	"math/bits"
	"testing"

	"windtunnel.dev/windtunnel/pkg/stats"
)

func TestHash64TellsSimilarInputsApart(t *testing.T) {
	inputs := map[string]struct {
		seed  uint64
		words []uint64
	}{
		"nothing":            {0, nil},
		"another seed":       {1, nil},
		"a zero":             {0, []uint64{0}},
		"two zeros":          {0, []uint64{0, 0}},
		"a one":              {0, []uint64{1}},
		"one then zero":      {0, []uint64{1, 0}},
		"zero then one":      {0, []uint64{0, 1}},
		"seed for word":      {1, []uint64{0}},
		"all bits":           {0, []uint64{^uint64(0)}},
		"all bits in a seed": {^uint64(0), nil},
	}
	seen := map[uint64]string{}
	for name, in := range inputs {
		h := stats.Hash64(in.seed, in.words...)
		if other, ok := seen[h]; ok {
			t.Errorf("%s and %s have the same hash %#x", name, other, h)
		}
		seen[h] = name
	}
}

func TestHash64ChangesHalfOfItsBitsForEachBitOfAWord(t *testing.T) {
	const words = 2000
	for bit := range 64 {
		changed := 0
		for w := range uint64(words) {
			changed += bits.OnesCount64(stats.Hash64(7, w) ^ stats.Hash64(7, w^1<<bit))
		}
		if mean := float64(changed) / words; mean < 31.5 || mean > 32.5 {
			t.Errorf("bit %d changes %.2f bits of the hash on average, want 32", bit, mean)
		}
	}
}

func TestHashesArePinned(t *testing.T) {
	tests := map[string]struct{ got, want uint64 }{
		"no words":     {stats.Hash64(42), 0xbdd732262feb6e95},
		"three words":  {stats.Hash64(42, 1, 2, 3), 0x3fb96077da5807fd},
		"empty string": {stats.HashString(""), 0xef46db3751d8e999},
		"string":       {stats.HashString("arrivals"), 0xd87f606874b448f8},
	}
	for name, tc := range tests {
		if tc.got != tc.want {
			t.Errorf("%s: %#x, want %#x", name, tc.got, tc.want)
		}
	}
}
