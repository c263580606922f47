// SPDX-License-Identifier: Apache-2.0

package queue

// lanes are queues of tickets by group. Within a group the order is that of tickets.
type lanes struct {
	ranked bool
	n      int // tickets in all lanes
	// byGroup are the lanes with tickets, which busy has in no particular order.
	byGroup map[int32]*lane
	busy    []*lane
	// idle are lanes without tickets, of no group: there may be as many groups as requests.
	idle []*lane
	// chosen is the lane whose front is the front of the queue.
	chosen *lane
}

// lane is the queue of a group.
type lane struct {
	Tickets
	group int32
	at    int // in busy
}

func newLanes(ranked bool) *lanes {
	return &lanes{ranked: ranked, byGroup: map[int32]*lane{}}
}

func (l *lanes) pushBack(t Ticket) { l.lane(t).PushBack(t) }

func (l *lanes) insert(t Ticket) { l.lane(t).insert(t) }

// lane returns the lane of a ticket that is about to be added.
func (l *lanes) lane(t Ticket) *lane {
	of := l.byGroup[t.Group]
	if of == nil {
		of = l.vacant()
		of.group, of.at = t.Group, len(l.busy)
		l.byGroup[t.Group] = of
		l.busy = append(l.busy, of)
	}
	l.n++
	return of
}

// vacant returns a lane without tickets.
func (l *lanes) vacant() *lane {
	last := len(l.idle) - 1
	if last < 0 {
		return &lane{Tickets: Tickets{Ranked: l.ranked}}
	}
	of := l.idle[last]
	l.idle = l.idle[:last]
	return of
}

// choose finds the lane whose front comes before those of the others.
func (l *lanes) choose(before func(a, b Ticket) bool) {
	l.chosen = l.busy[0]
	for _, lane := range l.busy[1:] {
		if before(lane.Front(), l.chosen.Front()) {
			l.chosen = lane
		}
	}
}

// pop takes the front ticket of the chosen lane out.
func (l *lanes) pop() {
	l.chosen.Pop()
	l.left(l.chosen)
}

// remove takes a ticket out, wherever it stands.
func (l *lanes) remove(t Ticket) {
	of := l.byGroup[t.Group]
	of.Remove(t.Turn)
	l.left(of)
}

// left notes that a ticket has left a lane.
func (l *lanes) left(of *lane) {
	l.n--
	if of.Len() > 0 {
		return
	}
	last := l.busy[len(l.busy)-1]
	l.busy[of.at], last.at = last, of.at
	l.busy = l.busy[:len(l.busy)-1]
	delete(l.byGroup, of.group)
	l.idle = append(l.idle, of)
}

func (l *lanes) each(do func(Ticket)) {
	for _, lane := range l.busy {
		lane.each(do)
	}
}
