// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"fmt"
	"slices"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// heard is what a router has been told of caches, block by block. It panics
// where it is told of what was there already, or of what was not.
type heard struct {
	held  map[heldBlock]bool
	since map[int][]string // by endpoint, since the last look
	// last is when an endpoint was told of last.
	last map[int]simtime.Time
	// partly are the endpoints of whose lower tiers nobody knows: they were
	// cleared, and may share some.
	partly map[int]bool
}

type heldBlock struct {
	endpoint int
	tier     policy.CacheTier
	stretch  uint64
	block    int32
}

func (h *heard) note(sign string, at simtime.Time, endpoint int, blocks policy.CachedBlocks, tier policy.CacheTier) {
	if h.held == nil {
		*h = heard{held: map[heldBlock]bool{}, since: map[int][]string{}, last: map[int]simtime.Time{}, partly: map[int]bool{}}
	}
	if at < h.last[endpoint] {
		panic(fmt.Sprintf("endpoint %d is told of %v after %v", endpoint, at, h.last[endpoint]))
	}
	h.last[endpoint] = at
	for b := blocks.From; b < blocks.To; b++ {
		block := heldBlock{endpoint, tier, blocks.Stretch, b}
		if stored := sign == "+"; h.held[block] == stored && (tier == policy.GPUMemory || !h.partly[endpoint]) {
			panic(fmt.Sprintf("at %v: %s%+v, and it was so", at, sign, block))
		}
		h.held[block] = sign == "+"
		h.since[endpoint] = append(h.since[endpoint], fmt.Sprintf("%v %s%v %x.%d", at, sign, tier, blocks.Stretch, b))
	}
}

func (h *heard) clear(at simtime.Time, endpoint int) {
	h.note("", at, endpoint, policy.CachedBlocks{}, 0)
	for block := range h.held {
		if block.endpoint == endpoint && block.tier == policy.GPUMemory {
			delete(h.held, block)
		}
	}
	h.partly[endpoint] = true
	h.since[endpoint] = append(h.since[endpoint], fmt.Sprint(at, " cleared"))
}

// lines are what was heard since the last call.
func (h *heard) lines(endpoints int) []string {
	var lines []string
	for e := range endpoints {
		slices.Sort(h.since[e])
		for _, line := range h.since[e] {
			lines = append(lines, fmt.Sprint("endpoint ", e, ": ", line))
		}
	}
	clear(h.since)
	return lines
}

func (r *scatter) Stored(at simtime.Time, endpoint int, blocks policy.CachedBlocks, tier policy.CacheTier) {
	r.heard.note("+", at, endpoint, blocks, tier)
}

func (r *scatter) Removed(at simtime.Time, endpoint int, blocks policy.CachedBlocks, tier policy.CacheTier) {
	r.heard.note("-", at, endpoint, blocks, tier)
}

func (r *scatter) Cleared(at simtime.Time, endpoint int) { r.heard.clear(at, endpoint) }
