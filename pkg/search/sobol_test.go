// SPDX-License-Identifier: Apache-2.0

package search

import (
	"math"
	"math/bits"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/internal/testing/ranktest"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// The first points as Joe and Kuo print them for their numbers.
func TestSobolSequenceBeforeScramblingIsThePublishedOne(t *testing.T) {
	want := [][]float64{
		{0, 0, 0}, {0.5, 0.5, 0.5}, {0.75, 0.25, 0.25}, {0.25, 0.75, 0.75}, {0.375, 0.375, 0.625},
		{0.875, 0.875, 0.125}, {0.625, 0.125, 0.875}, {0.125, 0.625, 0.375}, {0.1875, 0.3125, 0.9375}, {0.6875, 0.8125, 0.4375},
	}
	s := newSobolSequence(3, 0)
	var got [][]float64
	for range want {
		point := make([]float64, 3)
		for d, x := range s.state {
			point[d] = float64(x) / (1 << 32)
		}
		got = append(got, point)
		s.advance()
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("points (−want +got):\n%s", diff)
	}
}

// What a misprint in the table would break: polynomials are all the primitive
// ones of each degree in order, initial numbers are odd and fit their bits, and
// the first bits are independent, so that 2^d points have one in each of the
// 2^d corners of the first d dimensions (Sobol's property A).
func TestDirectionNumbersHaveTheirProperties(t *testing.T) {
	var polynomials []uint32
	for degree := 1; degree <= 7; degree++ {
		for middle := range uint32(1) << (degree - 1) {
			if polynomial := 1<<degree | middle<<1 | 1; isPrimitive(polynomial, degree) {
				polynomials = append(polynomials, polynomial)
			}
		}
	}
	var listed []uint32
	for d, p := range joeKuo {
		degree := len(p.initial)
		listed = append(listed, 1<<degree|p.coefficients<<1|1)
		for i, m := range p.initial {
			if m%2 == 0 || m >= 1<<(i+1) {
				t.Errorf("dimension %d: initial number %d is %d", d+2, i, m)
			}
		}
	}
	if diff := cmp.Diff(polynomials, listed); diff != "" {
		t.Errorf("primitive polynomials (−want +got):\n%s", diff)
	}
	for d := 1; d <= min(sobolDimensions, sobolBits); d++ {
		rows := make([]uint64, d) // of the first bits of the first d direction numbers
		for j := range rows {
			directions := directionsOf(j)
			for i, v := range directions[:d] {
				rows[j] |= uint64(v>>31) << i
			}
		}
		if !independent(rows) {
			t.Errorf("property A does not hold in %d dimensions", d)
		}
	}
}

// isPrimitive says whether x has the order 2^degree-1 modulo a polynomial.
func isPrimitive(polynomial uint32, degree int) bool {
	x := uint32(1)
	for i := 1; ; i++ {
		if x <<= 1; x>>degree == 1 {
			x ^= polynomial
		}
		if x == 1 {
			return i == 1<<degree-1
		}
		if x == 0 || i > 1<<degree {
			return false
		}
	}
}

func independent(rows []uint64) bool {
	for i := range rows {
		if rows[i] == 0 {
			return false
		}
		for j := i + 1; j < len(rows); j++ {
			if rows[j]>>bits.TrailingZeros64(rows[i])&1 == 1 {
				rows[j] ^= rows[i]
			}
		}
	}
	return true
}

func TestScramblingKeepsTheSequenceEven(t *testing.T) {
	for key := range uint64(5) {
		s := newSobolSequence(sobolDimensions, key)
		var points [][]float64
		for range 256 {
			points = append(points, s.next())
		}
		for d := range sobolDimensions {
			for block := 0; block < 256; block += 16 {
				if n := len(cells(points[block:block+16], 16, d)); n != 16 {
					t.Fatalf("key %d, dimension %d: points %d… lie in %d of 16 slices", key, d, block, n)
				}
			}
		}
		// The first two dimensions are a net: 256 points have one in each of the
		// boxes of 1/256, whatever their shape.
		for width := 1; width <= 256; width *= 2 {
			boxes := map[[2]int]bool{}
			for _, p := range points {
				boxes[[2]int{int(p[0] * float64(width)), int(p[1] * float64(256/width))}] = true
			}
			if len(boxes) != 256 {
				t.Errorf("key %d: %d of 256 boxes of 1/%d by %d/256 have a point", key, len(boxes), width, width)
			}
		}
	}
}

// cells counts the points in each of n slices of a coordinate.
func cells(points [][]float64, n, coordinate int) map[int]int {
	counts := map[int]int{}
	for _, p := range points {
		counts[int(p[coordinate]*float64(n))]++
	}
	return counts
}

func TestEachScrambledPointAloneIsSpreadEvenly(t *testing.T) {
	const keys = 4000
	for _, index := range []int{0, 1, 37} {
		sum, squares := 0.0, 0.0
		for key := range uint64(keys) {
			s := newSobolSequence(1, stats.Hash64(key))
			for range index {
				s.advance()
			}
			x := s.next()[0] - 0.5
			sum, squares = sum+x, squares+x*x
		}
		mean, variance := sum/keys, squares/keys
		if math.Abs(mean) > 4*math.Sqrt(1./12/keys) || math.Abs(variance-1./12) > 0.005 {
			t.Errorf("point %d: mean %v off the middle, variance %v", index, mean, variance)
		}
	}
}

func TestLatinHypercubesHaveOnePointInEverySlice(t *testing.T) {
	for n := range 50 {
		points := latinHypercube(n, 4, stats.NewStream(int64(n), "test"))
		for d := range 4 {
			if got := len(cells(points, n, d)); got != n {
				t.Errorf("%d points lie in %d slices of coordinate %d", n, got, d)
			}
		}
	}
	counts := map[int]int{}
	s := stats.NewStream(1, "test")
	for range 6000 {
		p := permutation(3, s)
		counts[p[0]*9+p[1]*3+p[2]]++
	}
	for p, n := range counts {
		if math.Abs(float64(n-1000)) > 120 || len(counts) != 6 {
			t.Errorf("permutation %d came %d times of 6000", p, n)
		}
	}
}

// Means over designs against the integral of a smooth function of four
// variables: what even filling is for.
func TestDesignsIntegrateBetterThanRandomPoints(t *testing.T) {
	space := Space{}
	for _, name := range []string{"a", "b", "c", "d"} {
		space.Parameters = append(space.Parameters, Parameter{Name: name, Kind: Continuous, Min: "0", Max: "1"})
	}
	const n, seeds = 128, 40
	errors := map[Name][]float64{}
	for _, name := range []Name{Random, Sobol, LatinHypercube} {
		for seed := range int64(seeds) {
			a, errs := New(Problem{Space: space, Objectives: 1, Seeds: 1, Settings: Settings{Algorithm: name, Seed: seed, MaxTrials: n}}, nil)
			if len(errs) > 0 {
				t.Fatal(errs.ToAggregate())
			}
			mean := 0.0
			for _, p := range a.Ask() {
				product := 1.0
				for _, v := range p.Point {
					product *= 1 + (numberOf(v)-0.5)/2
				}
				mean += product / n
			}
			errors[name] = append(errors[name], math.Abs(mean-1))
		}
	}
	for _, name := range []Name{Sobol, LatinHypercube} {
		p := ranktest.WilcoxonP(errors[Random], errors[name])
		t.Logf("%s: median error %.5f, Random's %.5f, p = %.2g", name, median(errors[name]), median(errors[Random]), p)
		if median(errors[name]) > median(errors[Random])/3 || p > 1e-6 {
			t.Errorf("%s is not better than Random", name)
		}
	}
}

func median(xs []float64) float64 {
	sorted := slices.Sorted(slices.Values(xs))
	return sorted[len(sorted)/2]
}
