// SPDX-License-Identifier: Apache-2.0

package stats_test

import (
	"math"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/internal/testing/paniccheck"
	"windtunnel.dev/windtunnel/pkg/stats"
)

func draw(s *stats.Stream, n int) []uint64 {
	numbers := make([]uint64, n)
	for i := range numbers {
		numbers[i] = s.Uint64()
	}
	return numbers
}

func TestStreamsDoNotDependOnTheOrderOfTheirFirstUse(t *testing.T) {
	orders := [][]string{
		{"arrivals", "lengths", "routing"},
		{"routing", "arrivals", "lengths"},
		{"lengths", "routing", "arrivals"},
		{"routing", "a policy that came later", "lengths", "arrivals"},
	}
	want := map[string][]uint64{}
	for _, name := range orders[0] {
		want[name] = draw(stats.NewStream(42, name), 100)
	}
	for _, order := range orders {
		streams := map[string]*stats.Stream{}
		got := map[string][]uint64{}
		for range 100 { // interleaved, one number each
			for _, name := range order {
				if streams[name] == nil {
					streams[name] = stats.NewStream(42, name)
				}
				got[name] = append(got[name], streams[name].Uint64())
			}
		}
		delete(got, "a policy that came later")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("in the order %q streams differ (−want +got):\n%s", order, diff)
		}
	}
}

func TestStreamsOfOtherNamesAndSeedsShareNothing(t *testing.T) {
	seen := map[uint64]string{}
	for name, s := range map[string]*stats.Stream{
		"base":          stats.NewStream(1, "arrivals"),
		"another seed":  stats.NewStream(2, "arrivals"),
		"negative seed": stats.NewStream(-1, "arrivals"),
		"another name":  stats.NewStream(1, "arrivals2"),
		"no name":       stats.NewStream(1, ""),
	} {
		for _, number := range draw(s, 1000) {
			if other, ok := seen[number]; ok {
				t.Fatalf("%s and %s both drew %#x", name, other, number)
			}
			seen[number] = name
		}
	}
}

func TestUniformNumbersStayInTheirInterval(t *testing.T) {
	s := stats.NewStream(1, "uniform")
	sum, openSum := 0.0, 0.0
	const n = 200_000
	for range n {
		x, open := s.Float64(), s.OpenFloat64()
		if x < 0 || x >= 1 || open <= 0 || open >= 1 || 1-(1-open) != open {
			t.Fatalf("Float64 %v, OpenFloat64 %v", x, open)
		}
		sum, openSum = sum+x, openSum+open
	}
	tolerance := 4 * math.Sqrt(1./12/n)
	if math.Abs(sum/n-0.5) > tolerance || math.Abs(openSum/n-0.5) > tolerance {
		t.Errorf("means %v and %v, want 0.5 ± %v", sum/n, openSum/n, tolerance)
	}
}

func TestIntNIsUniform(t *testing.T) {
	for _, bound := range []int{1, 2, 3, 7, 10, 1000, math.MaxInt} {
		s := stats.NewStream(1, "integers")
		const n, cells = 60_000, 10
		counts := [cells]float64{}
		for range n {
			k := s.IntN(bound)
			if k < 0 || k >= bound {
				t.Fatalf("IntN(%d) = %d", bound, k)
			}
			counts[int(float64(k)/float64(bound)*cells)]++
		}
		chiSquare := 0.0
		for cell, count := range counts {
			// How many of the numbers below the bound fall into the cell.
			first := math.Ceil(float64(bound) * float64(cell) / cells)
			last := math.Ceil(float64(bound) * float64(cell+1) / cells)
			if expected := n * (last - first) / float64(bound); expected > 0 {
				chiSquare += (count - expected) * (count - expected) / expected
			}
		}
		if chiSquare > 27.9 { // 9 degrees of freedom, one in a thousand
			t.Errorf("IntN(%d): chi-square %.1f over %v", bound, chiSquare, counts)
		}
	}
}

// Of 2^64 draws 8/3 fall to each number below 3·2^61: without the draws that
// are thrown away, every third number would come two times to the others'
// three.
func TestIntNOfALargeBoundFavoursNoNumber(t *testing.T) {
	s := stats.NewStream(1, "integers")
	bound := 3 << (strconv.IntSize - 3)
	const n = 60_000
	counts := [3]float64{}
	for range n {
		counts[s.IntN(bound)%3]++
	}
	for residue, count := range counts {
		if math.Abs(count-n/3) > 4*math.Sqrt(n*2./9) {
			t.Errorf("%v numbers are %d modulo 3, want about %v", count, residue, n/3)
		}
	}
}

func TestIntNOfNothingPanics(t *testing.T) {
	defer paniccheck.Want(t, "IntN(0) did not panic")
	stats.NewStream(1, "integers").IntN(0)
}
