// SPDX-License-Identifier: Apache-2.0

package native

import (
	"slices"
	"testing"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

func TestAIBrixPrefixCache(t *testing.T) {
	// Endpoint 1 was sent two blocks of a text, and 2 three of them.
	whole, shared := []prompt.Extent{text(1, 96)}, []prompt.Extent{text(1, 64), text(9, 32)}
	for name, tc := range map[string]struct {
		parameters map[string]string
		inFlight   []int
		prompt     []prompt.Extent
		want       int
	}{
		"the greatest share":                         {nil, []int{0, 0, 0, 0}, whole, 2},
		"of those with as much, the fewest requests": {nil, []int{0, 1, 2, 0}, shared, 1},
		"no match: the fewest requests":              {nil, []int{2, 1, 1, 0}, []prompt.Extent{text(8, 96)}, 3},
		"less than a block":                          {nil, []int{2, 1, 1, 0}, []prompt.Extent{text(1, 31)}, 3},
		// The mean is 1.75 and the deviation 3.5: up to 8.75 and 5.25 requests.
		"within two deviations": {nil, []int{0, 0, 7, 0}, whole, 2},
		"above one deviation":   {map[string]string{"deviations": "1"}, []int{0, 0, 7, 0}, whole, 1},
		"no match in the bound": {map[string]string{"deviations": "0"}, []int{0, 3, 3, 1}, whole, 0},
		"balanced, just":        {map[string]string{"deviations": "9"}, []int{0, 0, 16, 0}, whole, 2},
		"out of balance: the match among those with the fewest": {map[string]string{"deviations": "9"}, []int{0, 0, 17, 0}, whole, 1},
		"out of balance, without a match there":                 {map[string]string{"deviations": "9"}, []int{0, 1, 17, 1}, whole, 0},
		"another bound of balance":                              {map[string]string{"imbalance": "1"}, []int{0, 0, 2, 0}, whole, 1},
		"blocks of another size":                                {map[string]string{"blockTokens": "96"}, []int{0, 0, 0, 0}, whole, 2},
	} {
		t.Run(name, func(t *testing.T) {
			r := mustNew(t, Spec{Policy: "aibrix-prefix-cache", TieBreak: tieFirst, Parameters: tc.parameters}, 4)
			route(t, r, only(1, 4), request(0, text(1, 64)))
			route(t, r, only(2, 4), request(1, text(1, 96)))
			copy(r.inFlight, tc.inFlight)
			same(t, name, tc.want, route(t, r, view(make([]policy.Scrape, 4)...), request(2, tc.prompt...)))
		})
	}
}

// Percentages are rounded down: of 201 blocks one is 0 %, and 198 and 200 are as good. The
// endpoint with the fewest requests gets it.
func TestAIBrixRoundsShares(t *testing.T) {
	r := mustNew(t, Spec{Policy: "aibrix-prefix-cache", TieBreak: tieFirst}, 4)
	route(t, r, only(1, 4), request(0, text(1, 32)))
	copy(r.inFlight, []int{0, 1, 0, 0})
	v := view(make([]policy.Scrape, 4)...)
	same(t, "one block counts", 1, route(t, r, v, request(1, text(1, 32), text(9, 200*32))))

	route(t, r, only(2, 4), request(2, text(2, 199*32)))
	route(t, r, only(3, 4), request(3, text(2, 200*32)))
	copy(r.inFlight, []int{0, 0, 1, 2})
	same(t, "199 and 200 of 201", 2, route(t, r, v, request(4, text(2, 200*32), text(9, 32))))
}

func TestAIBrixForgetsWhatIsOld(t *testing.T) {
	r := mustNew(t, Spec{Policy: "aibrix-prefix-cache", TieBreak: tieFirst, Parameters: map[string]string{"ttl": "1m"}}, 2)
	var got []int
	for i, at := range []time.Duration{0, time.Minute, 2*time.Minute + 1} {
		v := view(policy.Scrape{}, policy.Scrape{})
		v.Now = simtime.Time(at)
		if i == 0 {
			v.Down = []bool{true, false}
		}
		q := request(i, text(1, 64))
		e := route(t, r, v, q)
		r.Finished(q, e)
		got = append(got, e)
	}
	same(t, "endpoints", []int{1, 1, 0}, got)
}

// Adapters are models of their own.
func TestAIBrixTellsAdaptersApart(t *testing.T) {
	r := mustNew(t, Spec{Policy: "aibrix-prefix-cache", TieBreak: tieFirst}, 2)
	send := func(v *policy.View, adapter int32) int {
		q := request(0, text(1, 64))
		q.Adapter = adapter
		e := route(t, r, v, q)
		r.Finished(q, e)
		return e
	}
	send(only(1, 2), 7)
	v := view(policy.Scrape{}, policy.Scrape{})
	if got := []int{send(v, 7), send(v, 8), send(v, 0)}; !slices.Equal(got, []int{1, 0, 0}) {
		t.Errorf("adapters 7, 8 and none go to %v, want 1, 0 and 0", got)
	}
}
