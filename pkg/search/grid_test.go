// SPDX-License-Identifier: Apache-2.0

package search_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/search"
)

func mustGrid(t testing.TB, s search.Space) *search.Grid {
	t.Helper()
	g, errs := search.NewGrid(s, path)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	return g
}

func TestGridGoesThroughItsPointsLikeNestedLoops(t *testing.T) {
	g := mustGrid(t, search.Space{choice("router", "load", "prefix"), stepped("weight", "0", "1", "0.5"), choice("seed", "7")})
	want := []search.Point{
		{"load", "0", "7"}, {"load", "0.5", "7"}, {"load", "1", "7"},
		{"prefix", "0", "7"}, {"prefix", "0.5", "7"}, {"prefix", "1", "7"},
	}
	if diff := cmp.Diff(want, g.Ask(100)); diff != "" {
		t.Errorf("points (−want +got):\n%s", diff)
	}
	if more := g.Ask(1); len(more) != 0 {
		t.Errorf("the grid goes on with %v", more)
	}
	if g.Size() != 6 {
		t.Errorf("size %d", g.Size())
	}
}

func TestGridAskedInPartsGivesTheSamePoints(t *testing.T) {
	space := search.Space{stepped("a", "0", "1", "0.1"), stepped("b", "-3", "3", "1")}
	want := mustGrid(t, space).Ask(1000)
	parts := mustGrid(t, space)
	var got []search.Point
	for n := 0; len(got) < len(want); n++ {
		asked := parts.Ask(n)
		if len(asked) > n {
			t.Fatalf("asked for %d, got %d", n, len(asked))
		}
		parts.Tell([]search.Trial{{Point: search.Point{"0", "0"}, Losses: []float64{1}}})
		got = append(got, asked...)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("points (−want +got):\n%s", diff)
	}
}

func TestAHugeGridIsNotMade(t *testing.T) {
	g := mustGrid(t, search.Space{
		{Name: "a", Kind: search.Integer, Min: "1", Max: "9223372036854775807", Step: "1"},
		choice("b", "x", "y"),
	})
	want := []search.Point{{"1", "x"}, {"1", "y"}, {"2", "x"}}
	if diff := cmp.Diff(want, g.Ask(3)); diff != "" {
		t.Errorf("points (−want +got):\n%s", diff)
	}
	if g.Size() != math.MaxUint64-1 {
		t.Errorf("size %d", g.Size())
	}
}

func TestWhatAGridCannotEnumerateIsRefusedWithAdvice(t *testing.T) {
	const advice = "a grid needs the distance of neighbouring values; or search at random"
	tests := map[string]struct {
		space search.Space
		want  []string
	}{
		"ranges without a step": {
			search.Space{choice("a", "x"), continuous("b", "0", "1"), integer("c", "0", "9")},
			[]string{
				"FieldValueRequired at spec.parameters[1].range.step: " + advice,
				"FieldValueRequired at spec.parameters[2].range.step: " + advice,
			},
		},
		"what no algorithm takes": {
			search.Space{choice("a"), stepped("b", "0", "1", "")},
			[]string{
				"FieldValueRequired at spec.parameters[0].values: there must be a value to choose",
				"FieldValueRequired at spec.parameters[1].range.step: must be a decimal number, such as \"2.5\"",
			},
		},
		"more points than can be counted": {
			search.Space{stepped("a", "1", "4294967296", "1"), stepped("b", "1", "4294967296", "1")},
			[]string{"FieldValueInvalid at spec.parameters: " +
				"are more points than can be counted; take larger steps or fewer values, or search at random"},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			g, errs := search.NewGrid(tc.space, path)
			if diff := cmp.Diff(tc.want, lines(errs)); diff != "" || g != nil {
				t.Errorf("grid %v, errors (−want +got):\n%s", g, diff)
			}
		})
	}
}

func BenchmarkGridAsk(b *testing.B) {
	b.ReportAllocs()
	g := mustGrid(b, search.Space{
		{Name: "a", Kind: search.Integer, Min: "1", Max: "1000000000000", Step: "1"},
		stepped("b", "0", "5", "0.5"), choice("c", "x", "y"),
	})
	for b.Loop() {
		g.Ask(1)
	}
}

func ExampleGrid() {
	grid, errs := search.NewGrid(search.Space{
		{Name: "weight", Kind: search.Stepped, Min: "0", Max: "1", Step: "0.5"},
		{Name: "picker", Kind: search.Choice, Choices: []string{"max", "random"}},
	}, nil)
	if len(errs) > 0 {
		fmt.Println(errs.ToAggregate())
		return
	}
	for _, point := range grid.Ask(3) {
		fmt.Println(point)
	}
	// Output:
	// [0 max]
	// [0 random]
	// [0.5 max]
}
