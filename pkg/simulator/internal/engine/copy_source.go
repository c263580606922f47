// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/kv"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
)

// copySource is a request's blocks that are being copied: they stay until that is
// done, even when the request has ended, but not when it is preempted.
type copySource struct {
	number  int32
	request int32
	copies  []*copying
	// over says that the request has given them up, drop that their content is
	// to go with them.
	over, drop bool
	blocks     kv.Sequence
	chain      []prompt.Stretch
}

// sourceOf returns the keep of a request.
func (l *tierSet) sourceOf(q *request.Request, id int32) *copySource {
	if q.Source > 0 {
		return &l.sources[q.Source-1]
	}
	if n := len(l.idle); n > 0 {
		q.Source = l.idle[n-1] + 1
		l.idle = l.idle[:n-1]
	} else {
		l.sources = append(l.sources, copySource{})
		q.Source = int32(len(l.sources))
	}
	k := &l.sources[q.Source-1]
	*k = copySource{number: q.Source - 1, request: id, copies: k.copies[:0], chain: k.chain[:0]}
	return k
}

// detach keeps the blocks of a request that gives them up until they have been
// copied.
func (l *tierSet) detach(q *request.Request, drop bool) {
	k := &l.sources[q.Source-1]
	k.over, k.drop, k.blocks = true, drop, q.Blocks
	l.detached = append(l.detached, k.number)
	// The chain lives as long as the blocks.
	q.Source = 0
	k.chain, q.Chain = q.Chain, k.chain[:0]
}

// copyEnded ends a copy of a request's blocks.
func (l *tierSet) copyEnded(c *copying) {
	k := &l.sources[c.source-1]
	k.copies = slices.DeleteFunc(k.copies, func(o *copying) bool { return o == c })
	if len(k.copies) > 0 {
		return
	}
	if !k.over {
		l.replica.Requests.All[k.request].Source = 0
		l.idle = append(l.idle, k.number)
		return
	}
	used := l.replica.Cache.Used()
	l.releaseDetached(k.number)
	l.replica.blocksReleased(used)
}

// releaseDetached frees the blocks that a request has left, now that nobody copies them.
func (l *tierSet) releaseDetached(number int32) {
	k := &l.sources[number]
	l.detached = slices.DeleteFunc(l.detached, func(other int32) bool { return other == number })
	l.idle = append(l.idle, number)
	if k.drop {
		l.replica.Cache.Discard(k.blocks)
		return
	}
	l.replica.Cache.Release(k.blocks)
}

// cancelCopies takes back the copies of a request's blocks that are under way.
func (l *tierSet) cancelCopies(q *request.Request) {
	for _, c := range l.sources[q.Source-1].copies {
		l.replica.Cluster.abort(l.replica.Fabric, c.id)
		c.cancel(l.replica.Cluster)
	}
	l.idle = append(l.idle, q.Source-1)
	q.Source = 0
}
