// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"slices"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/kvindex"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// speculation puts blocks into an index that an endpoint is going to compute, as
// a request has just been sent there, and takes them out again after a while.
// What another request put there meanwhile goes with them.
type speculation struct {
	ttl time.Duration // 0: there is none
	// sweeps says that expired blocks are removed only at multiples of ttl.
	sweeps bool
	// open is what is in the index, in the order in which it goes.
	open []speculated
}

type speculated struct {
	expiresAt simtime.Time
	endpoint  int
	chain     []prompt.Stretch
}

func (s *speculation) Add(x *kvindex.Index, now simtime.Time, endpoint int, chain []prompt.Stretch) {
	until := now.Add(s.ttl)
	if s.sweeps {
		rounds := (time.Duration(until) + s.ttl - 1) / s.ttl
		until = simtime.Time(rounds * s.ttl)
	}
	each(chain, func(b policy.CachedBlocks) { x.Add(b, endpoint, kvindex.Speculative) })
	s.open = append(s.open, speculated{until, endpoint, slices.Clone(chain)})
}

func each(chain []prompt.Stretch, do func(policy.CachedBlocks)) {
	for _, stretch := range chain {
		do(policy.CachedBlocks{Stretch: stretch.ID, To: stretch.Blocks})
	}
}

// expire takes out what has expired by a time.
func (s *speculation) expire(x *kvindex.Index, now simtime.Time) {
	n := 0
	for n < len(s.open) && s.open[n].expiresAt <= now {
		over := &s.open[n]
		each(over.chain, func(b policy.CachedBlocks) { x.Remove(b, over.endpoint, kvindex.Speculative) })
		n++
	}
	if n > 0 {
		s.open = slices.Delete(s.open, 0, n)
	}
}
