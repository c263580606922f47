// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// A HotPrefix is the part that requests of a workload share at the beginning of
// their prompts: every prefix that more of them ask for than one replica serves,
// or else the one that most ask for.
type HotPrefix struct {
	// Overloads says that one replica cannot serve all of them.
	Overloads bool
	// PerSecond is how many of them arrive, and Served how many a replica that
	// holds the prefix serves, of the prefix that is the furthest beyond that.
	PerSecond, Served float64
	// Least and Most are the range, over those requests, of the share of a
	// prompt's full blocks that lie in the prefix: 0 to 1.
	Least, Most float64
}

// drawnRequests is how many requests of a workload are looked at, and passedRequests how
// many are drawn for that where some are for other models.
const (
	drawnRequests  = 4096
	passedRequests = 16 * drawnRequests
)

// FindHotPrefix looks at the first requests of a source for one of several models, or at
// all where the model is empty, as long as the horizon lasts. It uses the source up. It
// returns false where no two of them begin alike.
func FindHotPrefix(source workload.Source, model string, horizon simulator.Horizon, pools []simulator.Pool) (HotPrefix, bool) {
	defer func() { _ = workload.Close(source) }() // an error comes back from the simulation
	f := prefixFinder{blockTokens: pools[0].BlockTokens, nodes: map[uint64]*prefixNode{}}
	end, models := horizon.Duration, source.Labels().Models
	for passed := 0; len(f.requests) < drawnRequests && passed < passedRequests && (horizon.Requests == 0 || passed < horizon.Requests); passed++ {
		r, ok := source.Next()
		if !ok || end > 0 && int64(r.Arrival) >= int64(end) {
			break
		}
		if model == "" || models[r.Model-1] == model {
			f.add(&r)
		}
	}
	if len(f.requests) < 2 || f.seconds <= 0 {
		return HotPrefix{}, false
	}
	return f.find(pools)
}

// prefixFinder counts what requests begin with, stretch by stretch.
type prefixFinder struct {
	blockTokens int
	nodes       map[uint64]*prefixNode // by the stretch's ID
	requests    []drawnRequest
	seconds     float64 // from the start to the last arrival
}

// drawnRequest is a request by the nodes that its prompt leads through.
type drawnRequest struct {
	nodes  []*prefixNode
	blocks int32
}

// prefixNode is the prefix up to the end of a stretch, which all requests that
// lead through it have.
type prefixNode struct {
	requests int
	blocks   int32 // the prefix, those of its shortest last stretch
	// prompts and outputs are sums of tokens over the requests.
	prompts, outputs int

	perSecond, served float64
}

func (f *prefixFinder) add(r *workload.Request) {
	stretches := r.Prompt.FullStretches(nil, f.blockTokens)
	prompt.ForAdapter(stretches, int32(r.Adapter))
	d := drawnRequest{}
	tokens := r.Prompt.Tokens()
	for _, s := range stretches {
		d.blocks += s.Blocks
		n, known := f.nodes[s.ID]
		if !known {
			n = &prefixNode{blocks: d.blocks}
			f.nodes[s.ID] = n
		}
		n.blocks = min(n.blocks, d.blocks)
		n.requests++
		n.prompts += tokens
		n.outputs += r.OutputTokens
		d.nodes = append(d.nodes, n)
	}
	f.requests = append(f.requests, d)
	f.seconds = float64(r.Arrival) / 1e9
}

// find looks at every request's longest prefix that overloads a replica; where
// there is no such prefix, at the one that comes nearest to it.
func (f *prefixFinder) find(pools []simulator.Pool) (HotPrefix, bool) {
	var hottest *prefixNode
	for _, r := range f.requests {
		for _, n := range r.nodes {
			if n.requests > 1 {
				f.rate(n, pools)
				if hottest == nil || n.heat() > hottest.heat() {
					hottest = n
				}
			}
		}
	}
	if hottest == nil {
		return HotPrefix{}, false
	}
	hot := HotPrefix{Overloads: hottest.heat() > 1, PerSecond: hottest.perSecond, Served: hottest.served, Least: 1}
	for _, r := range f.requests {
		if n := r.longest(hottest); n != nil {
			share := float64(n.blocks) / float64(r.blocks)
			hot.Least, hot.Most = min(hot.Least, share), max(hot.Most, share)
		}
	}
	return hot, true
}

// heat is by how much a prefix is more than a replica serves.
func (n *prefixNode) heat() float64 { return n.perSecond / n.served }

// rate finds out how many requests with a prefix arrive, and how many the best
// replica serves that holds it.
func (f *prefixFinder) rate(n *prefixNode, pools []simulator.Pool) {
	if n.served > 0 {
		return
	}
	count := float64(n.requests)
	n.perSecond = count / f.seconds
	typical := TypicalRequest{
		Prompt: float64(n.prompts) / count,
		Output: float64(n.outputs) / count,
		Cached: float64(int(n.blocks) * f.blockTokens),
	}
	for i := range pools {
		n.served = max(n.served, typical.ServedPerSecond(&pools[i]))
	}
}

// longest is the last of a request's prefixes that overload a replica, or the
// hottest one; nil where it has neither.
func (r *drawnRequest) longest(hottest *prefixNode) *prefixNode {
	var found *prefixNode
	for _, n := range r.nodes {
		if n == hottest || n.requests > 1 && n.heat() > 1 {
			found = n
		}
	}
	return found
}
