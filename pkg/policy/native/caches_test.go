// SPDX-License-Identifier: Apache-2.0

package native

import (
	"testing"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// blocks are the first blocks of a text.
func blocks(source uint64, to int32) policy.CachedBlocks {
	p := prompt.Prompt{Extents: []prompt.Extent{{Source: source, Tokens: 16 * to}}}
	return policy.CachedBlocks{Stretch: p.FullStretches(nil, 16)[0].ID, To: to}
}

func TestScorersOfCaches(t *testing.T) {
	third := 1.0 / 3
	for name, tc := range map[string]struct {
		scorer     string
		parameters map[string]string
		want       []float64 // of 4 blocks, of which 0, 1 and 3 are held, and one endpoint has all in a lower tier
	}{
		"the share that is there":     {"oracle-prefix", nil, []float64{0, 0.25, 0.75, 1}},
		"the share in GPU memory":     {"oracle-prefix", map[string]string{"tiers": "gpu"}, []float64{0, 0.25, 0.75, 0}},
		"from the fewest to the most": {"precise-prefix-cache", map[string]string{"delay": "0s"}, []float64{0, 1.0 / 3, 1, 0}},
		"nobody knows yet":            {"precise-prefix-cache", nil, []float64{1, 1, 1, 1}},
		"warm for some":               {"no-hit-lru", map[string]string{"delay": "0s"}, []float64{0.5, 0.5, 0.5, 0.5}},
		"cold, as far as it is known": {"no-hit-lru", nil, []float64{1, 1 - third, 1 - 2*third, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			r := mustNew(t, scoring(tc.scorer, tc.parameters), 4)
			at := simtime.Time(time.Second)
			r.Stored(at, 1, blocks(1, 1), policy.GPUMemory)
			r.Stored(at, 2, blocks(1, 3), policy.GPUMemory)
			r.Stored(at, 3, blocks(1, 4), policy.CPUMemory)
			v := view(make([]policy.Scrape, 4)...)
			v.Now = at.Add(cacheSignalDelay - 1)
			same(t, name, tc.want, scores(t, r, v, request(0, text(1, 70))))
		})
	}
}

// Cold requests go to whoever has had none for longest.
func TestNoHitLRUTakesTurns(t *testing.T) {
	r := mustNew(t, scoring("no-hit-lru", nil), 3)
	var chosen []int
	for id := range 5 {
		chosen = append(chosen, route(t, r, view(make([]policy.Scrape, 3)...), request(id, text(uint64(id), 100))))
	}
	same(t, "endpoints", []int{0, 1, 2, 0, 1}, chosen)
}

// Who does not ask is not told, and does not count.
func TestARouterListensOnlyWhereItHasTo(t *testing.T) {
	for name, want := range map[string][2]bool{
		"queue-depth": {false, false}, "prefix-affinity": {false, false}, "load-balance": {true, false}, "oracle-prefix": {false, true},
	} {
		r := mustNew(t, scoring(name, nil), 1).Routing()
		same(t, name, want, [2]bool{r.Responses != nil, r.KVEvents != nil})
	}
}
