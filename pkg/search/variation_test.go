// SPDX-License-Identifier: Apache-2.0

package search

import (
	"math"
	"testing"

	"windtunnel.dev/windtunnel/pkg/stats"
)

func FuzzVariationStaysInTheCube(f *testing.F) {
	f.Add(int64(1), 0.3, 0.4)
	f.Add(int64(2), 0.0, 1.0)
	f.Add(int64(3), 0.0, 1e-9)
	f.Add(int64(4), 1.0, 0.9999999999)
	f.Fuzz(func(t *testing.T, seed int64, a, b float64) {
		if !(a >= 0 && a <= 1 && b >= 0 && b <= 1) {
			t.Skip("not two places on the unit interval")
		}
		s := stats.NewStream(seed, "variation")
		for range 100 {
			if x := crossover(a, b, s); !(x >= 0 && x <= 1) {
				t.Fatalf("a child of %v and %v at %v", a, b, x)
			}
			if x := mutate(a, s); !(x >= 0 && x <= 1) {
				t.Fatalf("%v mutates to %v", a, x)
			}
		}
	})
}

// The law of the crossover far from borders: half of the children lie between
// their parents, and they are as near to a parent as the index says.
func TestCrossoverFollowsItsLaw(t *testing.T) {
	const n, a, b = 20_000, 0.49, 0.51
	s := stats.NewStream(1, "crossover")
	inside, beyond := 0.0, 0.0
	for range n {
		beta := 2 * math.Abs(crossover(a, b, s)-0.5) / (b - a)
		if beta < 1 {
			inside++
		}
		// P(β > x) = ½·x^-(η+1) above 1.
		if beta > 1.05 {
			beyond++
		}
	}
	checkShare(t, "children between their parents", inside/n, 0.5, n)
	checkShare(t, "children at 1.05 times the distance and more", beyond/n, 0.5*math.Pow(1.05, -16), n)
}

// The law of the mutation: δ to either side, P(|δ| > x) = (1-x)^(η+1) where the
// border is 1 away.
func TestMutationFollowsItsLaw(t *testing.T) {
	const n = 20_000
	s := stats.NewStream(1, "mutation")
	low, far := 0.0, 0.0
	for range n {
		x := mutate(0.5, s)
		if x < 0.5 {
			low++
		}
		if math.Abs(x-0.5) > 0.05 {
			far++
		}
	}
	checkShare(t, "mutants below", low/n, 0.5, n)
	checkShare(t, "mutants far away", far/n, (math.Pow(0.95, 21)-math.Pow(0.5, 21))/(1-math.Pow(0.5, 21)), n)
}

func checkShare(t *testing.T, what string, got, want float64, n int) {
	t.Helper()
	if math.Abs(got-want) > 4*math.Sqrt(want*(1-want)/float64(n)) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// What exists at one parent only is inherited from it.
func TestChildrenInheritConditionalParameters(t *testing.T) {
	c := mustCube(t, Space{Parameters: []Parameter{
		{Name: "picker", Kind: Choice, Choices: []string{"max", "weighted"}},
		{Name: "temperature", Kind: Stepped, Min: "0", Max: "1", Step: "0.001", When: &Condition{Parameter: "picker", Values: []string{"weighted"}}},
	}})
	s := stats.NewStream(1, "children")
	for range 200 {
		genes := variator{newUntried(c)}.cross(Values{"max", ""}, Values{"weighted", "0.25"}, s)
		if p := c.decode(genes); p[0] == "weighted" && p[1] != "0.25" {
			t.Fatalf("child %q", p)
		}
		if genes = (variator{newUntried(c)}).cross(Values{"max", ""}, Values{"max", ""}, s); math.IsNaN(genes[1]) {
			t.Fatal("a child without a coordinate")
		}
	}
}

// Where parents are neighbours of few values, there still are new children.
func TestChildrenAreNew(t *testing.T) {
	c := mustCube(t, Space{Parameters: []Parameter{
		{Name: "a", Kind: Stepped, Min: "0", Max: "3", Step: "1"},
		{Name: "b", Kind: Choice, Choices: []string{"x", "y"}},
	}})
	b, s, n := variator{newUntried(c)}, stats.NewStream(1, "children"), 0
	for n <= 8 {
		if p, _ := b.child(Values{"0", "x"}, Values{"0", "x"}, s); p == nil {
			break
		}
		n++
	}
	if n < 4 || n > 8 {
		t.Errorf("%d children of 8 points", n)
	}
}
