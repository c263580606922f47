// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"windtunnel.dev/windtunnel/pkg/kv"
	"windtunnel.dev/windtunnel/pkg/kv/transfer"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
)

// tierSet is the tiers below a replica's cache, fastest first.
type tierSet struct {
	replica *Replica

	Tiers         []tier
	toHost, toGPU transfer.StationID
	offload       simulator.Offload
	// blank is how many GPU blocks without content OffloadThreshold wants: it copies as many
	// as there are fewer.
	blank int

	// sources are numbered; parting are those whose requests have left.
	sources  []copySource
	idle     []int32 // numbers to use again
	detached []int32
	// ahead is what OffloadThreshold has under way, and holding how many copies the step
	// that is formed waits for. looked is the FreeChanges of the cache as of when it last
	// looked for more, and lookAgain that it may have left something then.
	ahead     []*copying
	holding   int
	looked    uint64
	lookAgain bool
	spare     []*copying // records to use again

	found []tierRun // scratch
	spans []kv.Span // scratch
}

// tier is a replica's access to one tier, which may be others' too.
type tier struct {
	kind        simulator.TierKind
	shared      bool // by the pool
	elsewhere   bool // and told of with its first replica
	Store       *tierStore
	read, write transfer.StationID
	arrived     []kv.Span // scratch
}

// tierRun is consecutive blocks of a text that a tier has.
type tierRun struct {
	tier     int
	from, to int
}

// empty makes the replica's own tiers new ones.
func (l *tierSet) empty(now simtime.Time) {
	r := l.replica
	l.sources, l.idle, l.detached, l.ahead = nil, nil, nil, nil
	l.holding, l.lookAgain = 0, true
	if l.offload.Policy != simulator.OffloadEager {
		r.Cache.RecordEvictions()
	}
	for k, t := range r.Config.Tiers.Lower {
		if !l.Tiers[k].shared {
			l.Tiers[k].Store = l.Tiers[k].Store.renewed(now, kv.NewTier(t.Blocks, t.Eviction))
			r.Cluster.watch(l.Tiers[k].Store.Tier, t.Kind, r.Index, r.Index+1)
		}
	}
}

// find lists where the blocks of a text are from one on up to the first that is
// nowhere, or to a limit: each in the fastest tier that has it.
func (l *tierSet) find(chain []prompt.Stretch, from, limit int) {
	l.found = l.found[:0]
	for from < limit {
		to := limit
		k := 0
		for ; k < len(l.Tiers); k++ {
			if n := l.Tiers[k].Store.Hits(chain, from, to); n > 0 {
				to = from + n
				break
			}
			to = from + l.Tiers[k].Store.Misses(chain, from, to)
		}
		if k == len(l.Tiers) {
			return
		}
		l.found = append(l.found, tierRun{tier: k, from: from, to: to})
		from = to
	}
}

// Frees says whether blocks of the cache are about to be freed by themselves.
func (l *tierSet) Frees() bool { return len(l.detached) > 0 }

// touch makes a request's blocks the last to leave their tiers.
func (l *tierSet) touch(r *Replica, q *request.Request) {
	for k := range l.Tiers {
		l.Tiers[k].Store.Touch(q.Chain, int(q.Total)/r.Cache.BlockTokens(), q.Info.Priority)
	}
}
