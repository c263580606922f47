// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"cmp"
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload/arrival"
	"windtunnel.dev/windtunnel/pkg/workload/internal/due"
	"windtunnel.dev/windtunnel/pkg/workload/internal/intern"
)

// NewClients returns the requests of all clients, merged in order of arrival;
// at one time the client with the lower index comes first, and arrivals come before
// what answers ends. The source is endless, unless all arrivals have stages. Each
// client draws arrivals, inputs, outputs and the like from streams derived from the
// seed and its name, so its requests (but for their IDs, indices and the numbers of
// sessions) do not depend on the other clients, except on the
// copies that it shares arrivals with and on when its requests end. Without closed loops and turns
// that wait for answers, nothing depends on ends, and Ended need not be called.
//
// It panics if ValidateClients has anything to say.
func NewClients(clients []Client, seed int64) Listener {
	if errs := ValidateClients(clients, field.NewPath("clients")); len(errs) > 0 {
		panic(fmt.Sprintf("workload: %v", errs.ToAggregate()))
	}
	m := &mergedClients{seed: seed, popularities: popularities{}, adapters: map[string]int{}, inFlight: map[int]sender{}}
	for i := range clients {
		c := &clients[i]
		if c.hasOwnArrivals() {
			copies := c.Copies.Expand(*c)
			for k := range copies {
				m.addClient(&copies[k])
			}
			continue
		}
		m.addClient(c)
	}
	m.addReactions()
	m.turns = newTurns(m.firsts)
	m.firsts = nil
	return m
}

// answersEnds reports whether requests of the client come in answer to the ends of others.
func (c *Client) answersEnds() bool {
	return c.ClosedLoop != nil || c.Sessions != nil && c.Sessions.AfterAnswer
}

// arrivalStream is one arrival process of one client or of a group, or what one of them sends
// in answer to ends.
type arrivalStream struct {
	clock     arrival.Clock
	first     int32       // the client, or the first one of the group
	group     *group      // nil where there is one client
	bursts    *burstSizes // nil where lengths do not depend on arrivals
	reactions *reactions  // nil for an arrival process
}

// addClient adds a client and its arrivals, or the copies of a client that begin one by one.
func (m *mergedClients) addClient(c *Client) {
	f := arrivalStream{first: int32(len(m.clients)), bursts: newBurstSizes(c, m.seed)}
	l := m.addLabels(c)
	var r *reactions
	if c.answersEnds() {
		r = &reactions{beginnings: newBeginnings(c.ClosedLoop, c.members())}
		r.staysInStep = c.ClosedLoop != nil && c.ClosedLoop.Turnaround > 0 && c.staysInStep()
	}
	if f.group = newGroup(c, l, r, m.seed); f.group == nil {
		m.clients = append(m.clients, m.newClient(c, c, 0, l, r))
	} else {
		m.clients = append(m.clients, make([]*client, c.members())...)
	}
	if r != nil {
		m.reactions = append(m.reactions, arrivalStream{first: f.first, group: f.group, reactions: r})
	}
	if c.ClosedLoop != nil {
		return
	}
	f.clock = arrival.NewClock(c.Arrivals, stats.NewStream(m.seed, "workload/arrivals/"+c.Name))
	m.firsts = append(m.firsts, f.clock.Next())
	m.streams = append(m.streams, f)
}

// member returns a client of a stream, by its number among the copies, and its number in the
// source. A copy begins to exist.
func (m *mergedClients) member(f *arrivalStream, of int32) (c *client, number int32) {
	number = f.first + of
	if m.clients[number] == nil {
		g := f.group
		member := g.spec.member(int(of))
		m.clients[number] = m.newClient(&member, g.spec, of, g.labels, g.reactions)
	}
	return m.clients[number], number
}

// take returns which of the clients of a stream sends its next request, by its number among the
// copies, and the place of its reactor if the request answers an end.
func (f *arrivalStream) take() (of, place int32) {
	switch {
	case f.reactions != nil:
		next := f.reactions.take()
		return next.Of, next.Place
	case f.group != nil:
		return int32(f.group.picker.pick()), 0
	}
	return 0, 0
}

// client is a Client under way.
type client struct {
	spec              *Client // of all copies
	seed              int64
	lengthFactor      float64 // of what is drawn of Input and Output
	name, prefixGroup string
	streams           contentStreams
	*scratch
	nameHash, prefixSource uint64    // hash of the name, source of the prefix
	prefixes               *prefixes // nil where there is one
	sent                   uint64
	prompts                *prompts  // nil where every prompt is new
	sessions               *sessions // nil if all sessions wait
	reactor                *reactor  // nil where no request waits for an answer

	labelled
}

// labelled are the indices of what a client's requests are labelled with. Those of adapters,
// headers and models begin with 1, and 0 is none.
type labelled struct{ tenant, class, adapter, headers, model int }

// newClient begins a client. It keeps spec, which is the client or the one that it is a copy
// of.
func (m *mergedClients) newClient(c, spec *Client, of int32, l labelled, r *reactions) *client {
	if c.Adapter != "" {
		l.adapter = m.adapters[c.Adapter] + 1
	}
	stream := func(what string) *stats.Stream {
		return stats.NewStream(m.seed, "workload/"+what+"/"+c.Name)
	}
	return &client{
		reactor:      newReactor(r, of, newUsers(spec.ClosedLoop), newAwaitedSessions(c, m.seed)),
		spec:         spec,
		seed:         m.seed,
		lengthFactor: lengthFactor(c, stream),
		name:         c.Name,
		prefixGroup:  c.PrefixGroup,
		streams:      newContentStreams(c, stream),
		scratch:      &m.scratch,
		prefixes:     newPrefixes(c, m.popularities, m.seed),
		nameHash:     stats.HashString(c.Name),
		prefixSource: groupText.source(stats.HashString(c.PrefixGroup)),
		prompts:      newPrompts(c.Prompts, stream),
		sessions:     newSessions(c.Sessions, stream),
		labelled:     l,
	}
}

// mergedClients is the source that NewClients returns.
type mergedClients struct {
	seed         int64
	clients      []*client       // nil for a copy in a group that has sent nothing
	streams      []arrivalStream // arrival processes, and then reactions
	reactions    []arrivalStream // until they are among the streams
	firsts       []simtime.Time  // when they send their first requests, until turns has them
	turns        turns           // of the streams
	inFlight     map[int]sender  // who sent the requests whose ends are awaited, by ID
	labels       Labels
	adapters     map[string]int // indices
	popularities popularities
	sent         int
	sessions     int32 // that have begun
	memory       prompt.Slab
	scratch      scratch
}

func (m *mergedClients) Labels() Labels { return m.labels }

// addLabels gives the names of a client and its copies numbers.
func (m *mergedClients) addLabels(c *Client) (l labelled) {
	for i := range c.members() {
		member := c.member(i)
		m.labels.Clients = append(m.labels.Clients, member.Name)
		if _, known := m.adapters[member.Adapter]; member.Adapter != "" && !known {
			m.adapters[member.Adapter] = len(m.labels.Adapters)
			m.labels.Adapters = append(m.labels.Adapters, member.Adapter)
		}
	}
	m.labels.Tenants, l.tenant = intern.Name(m.labels.Tenants, cmp.Or(c.Tenant, DefaultLabel))
	m.labels.Classes, l.class = intern.Name(m.labels.Classes, cmp.Or(c.Class, DefaultLabel))
	if c.Model != "" {
		m.labels.Models, l.model = intern.Name(m.labels.Models, c.Model)
		l.model++
	}
	if len(c.Headers) > 0 {
		m.labels.Headers, l.headers = intern.Headers(m.labels.Headers, c.Headers)
		l.headers++
	}
	return l
}

// sender is a place of a client's reactor.
type sender struct{ client, place int32 }

// addReactions adds what answers ends to the streams, behind all arrivals.
func (m *mergedClients) addReactions() {
	for _, f := range m.reactions {
		f.reactions.stream = int32(len(m.streams))
		m.firsts = append(m.firsts, f.reactions.next())
		m.streams = append(m.streams, f)
	}
	m.reactions = nil
}

// Due implements [Listener].
func (m *mergedClients) Due() (simtime.Time, bool) {
	next := m.turns.first().at
	return next, next < due.MaxTime
}

// Next implements [Source].
func (m *mergedClients) Next() (r Request, ok bool) {
	turn := m.turns.first()
	if turn.at >= due.MaxTime {
		return r, false
	}
	f := &m.streams[turn.stream]
	of, place := f.take()
	c, number := m.member(f, of)
	var next simtime.Time
	if f.reactions == nil {
		if c.reactor != nil {
			place = c.reactor.open()
		}
		m.scratch.choice = f.bursts.choose(&f.clock)
		next = f.clock.Next()
	}
	r.ID, r.Client, r.Arrival = m.sent, int(number), turn.at
	c.fillRequest(m, place, &r)
	m.scratch.choice = choice{}
	if f.reactions != nil {
		next = f.reactions.next()
	}
	m.sent++
	m.turns.set(turn.stream, next)
	if c.reactor != nil {
		m.inFlight[r.ID] = sender{number, place}
		m.hasten(c)
	}
	return r, true
}

// hasten moves the stream of a client's reactions to where its next request belongs, which
// may be earlier than before.
func (m *mergedClients) hasten(c *client) {
	r := c.reactor.reactions
	m.turns.set(r.stream, r.next())
}

// Ended implements [Listener].
func (m *mergedClients) Ended(e End) {
	from, awaited := m.inFlight[e.ID]
	if !awaited {
		return
	}
	delete(m.inFlight, e.ID)
	c := m.clients[from.client]
	c.reactor.ended(c, from.place, e)
	m.hasten(c)
}
