// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"cmp"
	"math"
	"slices"
	"sort"
)

// findWaits finds for each call of a session, in order, what it waits for.
func (s *agentSession) findWaits(m *agentMemory) error {
	branches := newBranches(s.branches)
	var kept []*agentCall
	for i, c := range s.calls {
		if c.told {
			continue
		}
		waits := s.ended.last(c.start, i)
		for p := s.parent; len(waits) == 0 && p != nil; p = p.parent {
			waits = p.ended.last(c.start, len(p.calls))
		}
		waits = branches.join(waits, c.start)
		if !slices.Equal(waits, kept) {
			if err := m.takeWaits(len(waits)); err != nil {
				return err
			}
			kept = waits
		}
		c.waits = kept
	}
	return nil
}

// endedCalls finds the calls that ended last before a time.
type endedCalls struct {
	calls []*agentCall // in order of their beginnings
	// byEnd are the places of the calls, in order of their ends, and latest[i] is the greatest of byEnd[:i+1].
	byEnd, latest []int
	// waits are the last calls of the first n by their ends.
	n     int
	waits []*agentCall
}

func newEndedCalls(calls []*agentCall) *endedCalls {
	e := &endedCalls{calls: calls, byEnd: make([]int, len(calls)), latest: make([]int, len(calls))}
	for i := range calls {
		e.byEnd[i] = i
	}
	slices.SortStableFunc(e.byEnd, func(i, j int) int { return cmp.Compare(calls[i].end, calls[j].end) })
	latest := 0
	for i, place := range e.byEnd {
		latest = max(latest, place)
		e.latest[i] = latest
	}
	return e
}

// last returns those of calls that ended at a time and that no other such call waits for: the one that began last, and
// those that ran at the same time, the one that began last in front. It looks at the calls in front of a place, among
// which are all that ended before that time. The list is shared.
func (e *endedCalls) last(at int64, place int) []*agentCall {
	n := sort.Search(len(e.byEnd), func(i int) bool {
		end := e.calls[e.byEnd[i]].end
		return end > at || end == at && e.byEnd[i] >= place
	})
	switch n {
	case 0:
		return nil
	case e.n:
		return e.waits
	}
	last := e.latest[n-1]
	places := []int{last}
	for i := n - 1; i >= 0 && e.calls[e.byEnd[i]].end > e.calls[last].start; i-- {
		if e.byEnd[i] != last {
			places = append(places, e.byEnd[i])
		}
	}
	slices.SortFunc(places, func(i, j int) int { return j - i })
	e.n, e.waits = n, make([]*agentCall, len(places))
	for i, place := range places {
		e.waits[i] = e.calls[place]
	}
	return e.waits
}

// branches are those of a session that no call waited for yet.
type branches struct {
	all []branch // in the order in which they end
}

type branch struct {
	place int
	calls []*agentCall
	// ready is the earliest time at which a call begins that can wait for the branch: all its calls began before, and
	// have ended.
	ready int64
}

func newBranches(of []*agentBranch) *branches {
	b := &branches{}
	for i, one := range of {
		if len(one.calls) == 0 {
			continue
		}
		ready := int64(math.MinInt64)
		for _, c := range one.calls {
			ready = max(ready, c.end, c.start+1)
		}
		b.all = append(b.all, branch{i, one.calls, ready})
	}
	slices.SortStableFunc(b.all, func(x, y branch) int { return cmp.Compare(x.ready, y.ready) })
	return b
}

// join adds the last calls of the branches that a call can wait for which begins at a time.
func (b *branches) join(waits []*agentCall, at int64) []*agentCall {
	n := sort.Search(len(b.all), func(i int) bool { return b.all[i].ready > at })
	if n == 0 {
		return waits
	}
	joined := b.all[:n]
	b.all = b.all[n:]
	waits = slices.Clone(waits)
	slices.SortFunc(joined, func(x, y branch) int { return cmp.Compare(x.place, y.place) })
	for _, one := range joined {
		calls := slices.Clone(one.calls)
		slices.SortStableFunc(calls, begins)
		waits = append(waits, newEndedCalls(calls).last(at, len(calls))...)
	}
	return waits
}
