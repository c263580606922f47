// SPDX-License-Identifier: Apache-2.0

package native

import (
	"testing"

	"windtunnel.dev/windtunnel/pkg/policy"
)

// only is a view in which one of some endpoints is there.
func only(endpoint, endpoints int) *policy.View {
	v := view(make([]policy.Scrape, endpoints)...)
	v.Down = make([]bool, endpoints)
	for e := range v.Down {
		v.Down[e] = e != endpoint
	}
	return v
}

func TestPrefixAffinity(t *testing.T) {
	r := mustNew(t, scoring("prefix-affinity", nil), 2)
	all := view(policy.Scrape{}, policy.Scrape{})
	route(t, r, only(1, 2), request(0, text(1, 64), text(2, 64)))
	same(t, "half of it was sent there", []float64{0, 0.5}, scores(t, r, all, request(1, text(1, 64), text(3, 64))))
	same(t, "a last block that is not full does not count", []float64{0, 1}, scores(t, r, all, request(2, text(1, 64), text(9, 15))))
	same(t, "less than a block", []float64{0, 0}, scores(t, r, all, request(3, text(1, 15))))
}

// Of four blocks endpoint 0 was sent all and remembers two; endpoint 1 was sent the first
// two. The strict index has forgotten the last two of endpoint 0, and the first two are half
// of the prompt. The loose one has forgotten the first two, and goes on with endpoint 0 at
// the third, as endpoint 1 has those before.
func TestStrictAndLoose(t *testing.T) {
	for match, want := range map[string][]float64{"strict": {0.5, 0.5}, "loose": {0.5, 0.5}} {
		t.Run(match, func(t *testing.T) {
			r := mustNew(t, scoring("prefix-affinity", map[string]string{"match": match, "blocksPerEndpoint": "2"}), 2)
			route(t, r, only(0, 2), request(0, text(1, 64)))
			route(t, r, only(1, 2), request(1, text(1, 32)))
			same(t, match, want, scores(t, r, view(policy.Scrape{}, policy.Scrape{}), request(2, text(1, 64))))
		})
	}
}

// Where nobody has a block, loose ends too.
func TestLooseEndsWhereNobodyHasABlock(t *testing.T) {
	r := mustNew(t, scoring("prefix-affinity", map[string]string{"match": "loose", "blocksPerEndpoint": "2"}), 2)
	route(t, r, only(0, 2), request(0, text(1, 64))) // blocks 2 and 3 are remembered
	same(t, "the first is nobody's", []float64{0, 0}, scores(t, r, view(policy.Scrape{}, policy.Scrape{}), request(1, text(1, 64))))
}

// Two prompts of 50 blocks each fit into 100 blocks. With 99 one block is too many, and the
// strict index loses the last block of the first prompt, of which it still knows 49 of 50;
// the loose one loses the first block, and with it the whole prompt.
func TestOneBlockTooMany(t *testing.T) {
	for name, tc := range map[string]struct {
		match, blocks string
		want          float64
	}{
		"strict, all fit":  {"strict", "100", 1},
		"strict, one over": {"strict", "99", 0.98},
		"loose, all fit":   {"loose", "100", 1},
		"loose, one over":  {"loose", "99", 0},
	} {
		r := mustNew(t, scoring("prefix-affinity", map[string]string{"match": tc.match, "blocksPerEndpoint": tc.blocks}), 1)
		route(t, r, only(0, 1), request(0, text(1, 800)))
		route(t, r, only(0, 1), request(1, text(2, 800)))
		same(t, name, []float64{tc.want}, scores(t, r, view(policy.Scrape{}), request(2, text(1, 800))))
	}
}

// A prompt longer than the index: of 100 blocks it knows the first 10.
func TestAPromptLongerThanTheIndex(t *testing.T) {
	r := mustNew(t, scoring("prefix-affinity", map[string]string{"blocksPerEndpoint": "10"}), 1)
	route(t, r, only(0, 1), request(0, text(1, 1600)))
	same(t, "the beginning is known", []float64{0.1}, scores(t, r, view(policy.Scrape{}), request(1, text(1, 1600))))
}

// No endpoint has more than its share, whatever the length of a prompt.
func TestPrefixMemoryIsBounded(t *testing.T) {
	r := mustNew(t, scoring("prefix-affinity", map[string]string{"blocksPerEndpoint": "10"}), 3)
	for id := range 200 {
		route(t, r, view(make([]policy.Scrape, 3)...), request(id, text(uint64(id%7), 400)))
	}
	for e, m := range r.chooser.(*weighted).scorers[0].(*prefixAffinity).memories {
		if m.length > 10 {
			t.Errorf("endpoint %d: %d blocks are remembered, at most 10", e, m.length)
		}
	}
}
