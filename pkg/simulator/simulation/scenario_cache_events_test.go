// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// scenarioCacheEvents are what a script's router hears of caches, in the script's words.
type scenarioCacheEvents struct {
	asked bool
	names map[policy.CachedBlocks]string
	told  []scenarioCacheEvent
}

type scenarioCacheEvent struct {
	at       simtime.Time
	endpoint int
	what     string
}

// newScenarioCacheEvents names the blocks of a script's requests, answers included.
func newScenarioCacheEvents(c *scenario) *scenarioCacheEvents {
	t := &scenarioCacheEvents{asked: len(c.heard) > 0, names: map[policy.CachedBlocks]string{}}
	for i, r := range c.requests {
		text := r.Prompt.Append(prompt.Extent{Source: r.Response, Start: r.ResponseStart, Tokens: int32(max(r.OutputTokens, 1))})
		for p := range c.config.Pools {
			number := 0
			for _, s := range text.FullStretches(nil, c.config.Pools[p].BlockTokens) {
				for b := range s.Blocks {
					block := policy.CachedBlocks{Stretch: s.ID, From: b, To: b + 1}
					if t.names[block] == "" {
						t.names[block] = fmt.Sprintf("%s.%d", c.names[i], number)
					}
					number++
				}
			}
		}
	}
	return t
}

func (t *scenarioCacheEvents) note(at simtime.Time, endpoint int, sign string, blocks policy.CachedBlocks, tier policy.CacheTier) {
	where := tier.String()
	if tier == policy.GPUMemory {
		where = ""
	}
	for b := blocks.From; b < blocks.To; b++ {
		name := t.names[policy.CachedBlocks{Stretch: blocks.Stretch, From: b, To: b + 1}]
		t.told = append(t.told, scenarioCacheEvent{at, endpoint, where + sign + name})
	}
}

// lines are a line for each time and endpoint.
func (t *scenarioCacheEvents) lines() []string {
	slices.SortFunc(t.told, func(a, b scenarioCacheEvent) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.endpoint, b.endpoint), strings.Compare(a.what, b.what))
	})
	var lines []string
	for i, n := range t.told {
		if i > 0 && t.told[i-1].at == n.at && t.told[i-1].endpoint == n.endpoint {
			lines[len(lines)-1] += " " + n.what
			continue
		}
		lines = append(lines, fmt.Sprint(n.at, " ", n.endpoint, " ", n.what))
	}
	return lines
}

func (r *scriptRouter) Stored(at simtime.Time, endpoint int, blocks policy.CachedBlocks, tier policy.CacheTier) {
	r.tale.note(at, endpoint, "+", blocks, tier)
}

func (r *scriptRouter) Removed(at simtime.Time, endpoint int, blocks policy.CachedBlocks, tier policy.CacheTier) {
	r.tale.note(at, endpoint, "-", blocks, tier)
}

func (r *scriptRouter) Cleared(at simtime.Time, endpoint int) {
	r.tale.told = append(r.tale.told, scenarioCacheEvent{at, endpoint, "cleared"})
}
