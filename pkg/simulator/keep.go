// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/kv"
	"windtunnel.dev/windtunnel/pkg/prompt"
)

// keep is a request's blocks that are being copied: they stay until that is
// done, even when the request has ended, but not when it is preempted.
type keep struct {
	number  int32
	request int32
	copies  []*copying
	// over says that the request has given them up, drop that their content is
	// to go with them.
	over, drop bool
	blocks     kv.Sequence
	chain      []prompt.Stretch
}

// keepOf returns the keep of a request.
func (l *lower) keepOf(q *request, id int32) *keep {
	if q.keep > 0 {
		return &l.keeps[q.keep-1]
	}
	if n := len(l.idle); n > 0 {
		q.keep = l.idle[n-1] + 1
		l.idle = l.idle[:n-1]
	} else {
		l.keeps = append(l.keeps, keep{})
		q.keep = int32(len(l.keeps))
	}
	k := &l.keeps[q.keep-1]
	*k = keep{number: q.keep - 1, request: id, copies: k.copies[:0], chain: k.chain[:0]}
	return k
}

// keepOn keeps the blocks of a request that gives them up until they have been
// copied.
func (l *lower) keepOn(q *request, drop bool) {
	k := &l.keeps[q.keep-1]
	k.over, k.drop, k.blocks = true, drop, q.blocks
	l.parting = append(l.parting, k.number)
	// The chain lives as long as the blocks.
	q.keep = 0
	k.chain, q.chain = q.chain, k.chain[:0]
}

// copied ends a copy of a request's blocks.
func (s *simulation) copied(r *replica, c *copying) {
	l := r.lower
	k := &l.keeps[c.keep-1]
	k.copies = slices.DeleteFunc(k.copies, func(o *copying) bool { return o == c })
	if len(k.copies) > 0 {
		return
	}
	if !k.over {
		s.requests.all[k.request].keep = 0
		l.idle = append(l.idle, k.number)
		return
	}
	used := r.cache.Used()
	s.part(r, k.number)
	s.vacated(r, used)
}

// part frees the blocks that a request has left, now that nobody copies them.
func (s *simulation) part(r *replica, number int32) {
	l := r.lower
	k := &l.keeps[number]
	l.parting = slices.DeleteFunc(l.parting, func(other int32) bool { return other == number })
	l.idle = append(l.idle, number)
	if k.drop {
		r.cache.Discard(k.blocks)
		return
	}
	r.cache.Release(k.blocks)
}

// cancelCopies takes back the copies of a request's blocks that are under way.
func (s *simulation) cancelCopies(r *replica, q *request) {
	l := r.lower
	for _, c := range l.keeps[q.keep-1].copies {
		s.abort(r.fabric, c.id)
		c.cancel(s)
	}
	l.idle = append(l.idle, q.keep-1)
	q.keep = 0
}
