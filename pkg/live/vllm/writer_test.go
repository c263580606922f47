// SPDX-License-Identifier: Apache-2.0

package vllm

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/live/tokens"
)

// A later prompt that repeats an answer has its tokens, so that the cache finds them.
func TestAnswersHaveTheTokensOfTheirText(t *testing.T) {
	w := newWriter(tokens.Bytes4{}, []int{30})
	for seed := range uint64(200) {
		n := int(seed%50) + 1
		a := w.write(seed, &wish{most: n, ignoreEnd: true})
		if diff := cmp.Diff(a.ids, tokens.Bytes4{}.Encode(a.text)); diff != "" || len(a.ids) != n || a.finish != "length" {
			t.Fatalf("seed %d, %s (−answer +text):\n%s", seed, a.finish, diff)
		}
		if a.piece(0, n) != a.text {
			t.Errorf("seed %d: %q in place of %q", seed, a.piece(0, n), a.text)
		}
	}
}

func TestLengthsOfAnswers(t *testing.T) {
	w := newWriter(tokens.Bytes4{}, []int{20})
	for name, tc := range map[string]struct {
		wish   wish
		want   int
		finish string
	}{
		"as drawn":                  {wish{most: 50}, 20, "stop"},
		"as drawn and as bounded":   {wish{most: 20}, 20, "stop"},
		"the bound is smaller":      {wish{most: 19}, 19, "length"},
		"the end is ignored":        {wish{most: 50, ignoreEnd: true}, 50, "length"},
		"at least":                  {wish{most: 50, least: 30}, 30, "stop"},
		"at least as much as bound": {wish{most: 30, least: 30}, 30, "stop"},
	} {
		got := w.write(1, &tc.wish)
		if len(got.ids) != tc.want || got.finish != tc.finish {
			t.Errorf("%s: %d tokens, %s", name, len(got.ids), got.finish)
		}
	}
}

// TestLengthsAreDrawn counts how often each of four lengths comes: 1,000 times in 4,000, give or take
// 6 times the standard deviation of 27.
func TestLengthsAreDrawn(t *testing.T) {
	w := newWriter(tokens.Bytes4{}, []int{4, 1, 3, 2})
	times := map[int]int{}
	for seed := range uint64(4000) {
		times[len(w.write(seed, &wish{most: 9}).ids)]++
	}
	for n := 1; n <= 4; n++ {
		if times[n] < 836 || times[n] > 1164 {
			t.Errorf("%d tokens come %d times", n, times[n])
		}
	}
}

// TestStops holds stop texts against a plain search, token by token.
func TestStops(t *testing.T) {
	w := newWriter(tokens.Bytes4{}, []int{40})
	draw := rand.New(rand.NewPCG(1, 2))
	for seed := range uint64(500) {
		plain := w.write(seed, &wish{most: 40, ignoreEnd: true})
		o := wish{most: 40, ignoreEnd: true, least: draw.IntN(10), includeStop: draw.IntN(2) == 0}
		for range 1 + draw.IntN(3) {
			from := draw.IntN(len(plain.text) - 8)
			o.stops = append(o.stops, plain.text[from:from+1+draw.IntN(7)])
		}
		got, want := w.write(seed, &o), stopPlainly(plain, &o)
		if diff := cmp.Diff(want, [2]any{got.text, len(got.ids)}); diff != "" {
			t.Fatalf("seed %d, %+v (−want +got):\n%s", seed, o, diff)
		}
		if got.piece(0, len(got.ids)) != got.text {
			t.Errorf("seed %d: the pieces are %q of %q", seed, got.piece(0, len(got.ids)), got.text)
		}
	}
}

// stopPlainly is the text and the number of tokens of an answer that stops.
func stopPlainly(a written, o *wish) [2]any {
	for i := o.least; i < len(a.ids); i++ {
		before := 0
		if o.least > 0 {
			before = a.ends[o.least-1]
		}
		for _, stop := range o.stops {
			for end := before + 1; end <= a.ends[i]; end++ {
				if !strings.HasSuffix(a.text[:end], stop) {
					continue
				}
				if !o.includeStop {
					end -= len(stop)
				}
				return [2]any{a.text[:end], i + 1}
			}
		}
	}
	return [2]any{a.text, len(a.ids)}
}
