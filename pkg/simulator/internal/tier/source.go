// SPDX-License-Identifier: Apache-2.0

package tier

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/kv"
	"windtunnel.dev/windtunnel/pkg/kv/transfer"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
)

// source is a request's blocks that are being copied: they stay until that is
// done, even when the request has ended, but not when it is preempted.
type source struct {
	number  int32
	request int32
	copies  []*copying
	// over says that the request has given them up, drop that their content is
	// to go with them.
	over, drop bool
	blocks     kv.Sequence
	chain      []prompt.Stretch
}

// sources are numbered; detached are those whose requests have left.
type sources struct {
	all      []source
	idle     []int32 // numbers to use again
	detached []int32
}

// of returns the source of a request.
func (s *sources) of(q *request.Request, id int32) *source {
	if q.Source > 0 {
		return &s.all[q.Source-1]
	}
	if n := len(s.idle); n > 0 {
		q.Source = s.idle[n-1] + 1
		s.idle = s.idle[:n-1]
	} else {
		s.all = append(s.all, source{})
		q.Source = int32(len(s.all))
	}
	k := &s.all[q.Source-1]
	*k = source{number: q.Source - 1, request: id, copies: k.copies[:0], chain: k.chain[:0]}
	return k
}

// detach keeps the blocks of a request that gives them up until they have been
// copied.
func (s *sources) detach(q *request.Request, drop bool) {
	k := &s.all[q.Source-1]
	k.over, k.drop, k.blocks = true, drop, q.Blocks
	s.detached = append(s.detached, k.number)
	// The chain lives as long as the blocks.
	q.Source = 0
	k.chain, q.Chain = q.Chain, k.chain[:0]
}

// forget ends a source whose blocks nothing copies any more.
func (s *sources) forget(number int32) {
	s.detached = slices.DeleteFunc(s.detached, func(other int32) bool { return other == number })
	s.idle = append(s.idle, number)
}

// copying is a transfer of blocks into a tier.
type copying struct {
	*copies
	tier    int
	pending kv.Reservation
	id      transfer.ID
	// past says that it comes from GPU memory, past the tiers above, which had no room.
	past bool
	// source is one more than the number of the source whose blocks are copied, 0 if
	// none.
	source int32
	// request is the ID of the request whose blocks are copied, or NoRequest.
	request int
	// pin holds the source in the tier above, where pinned.
	pinned bool
	pin    kv.Pin
	// shared says that both ends are tiers that several replicas have.
	shared bool
	// priority is that of the request; 0 of what was evicted or will be.
	priority int
	// holds says that a step waits for it, ahead that it copies what would be evicted next.
	holds, ahead bool
	blocks       int
}
