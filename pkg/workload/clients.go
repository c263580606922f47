// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"cmp"
	"fmt"
	"slices"

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
// sessions) do not depend on the other clients, except on those with the same
// SharedArrivals and on when its requests end. Where [AnswerEnds] returns false,
// nothing depends on ends, and Ended need not be called.
//
// It panics if ValidateClients has anything to say.
func NewClients(clients []Client, seed int64) Listener {
	if errs := ValidateClients(clients, field.NewPath("clients")); len(errs) > 0 {
		panic(fmt.Sprintf("workload: %v", errs.ToAggregate()))
	}
	m := &mergedClients{clients: make([]client, len(clients)), inFlight: map[int]sender{}}
	shared := map[*SharedArrivals]int{} // their streams
	all := popularities{}
	for i, c := range clients {
		m.clients[i] = newClient(c, all, seed)
		m.clients[i].scratch = &m.scratch
		m.addLabels(i, &clients[i])
		if c.ClosedLoop != nil {
			continue
		}
		if c.SharedArrivals != nil {
			if at, ok := shared[c.SharedArrivals]; ok {
				m.streams[at].members = append(m.streams[at].members, int32(i))
				continue
			}
			shared[c.SharedArrivals] = len(m.streams)
		}
		m.streams = append(m.streams, newArrivalStream(&c, int32(i), seed))
	}
	for i := range m.streams {
		m.addPicker(&m.streams[i], clients, seed)
	}
	m.addReactors()
	for i := range m.streams {
		m.heap = append(m.heap, int32(i))
		m.places = append(m.places, int32(i))
	}
	for i := len(m.heap)/2 - 1; i >= 0; i-- {
		m.siftDown(i)
	}
	return m
}

// AnswerEnds reports whether some requests of the clients come in answer to the ends
// of others: those of closed loops, and turns that wait for answers.
func AnswerEnds(clients []Client) bool {
	return slices.ContainsFunc(clients, func(c Client) bool {
		return c.ClosedLoop != nil || c.Sessions != nil && c.Sessions.AfterAnswer
	})
}

// arrivalStream is one arrival process, of one client or shared by several, or what one
// client sends in answer to ends.
type arrivalStream struct {
	clock   arrival.Clock
	next    simtime.Time // arrival of the request to come
	members []int32
	picker  *clientPicker // nil where there is one member
	reactor *reactor      // nil for an arrival process
}

func newArrivalStream(c *Client, member int32, seed int64) arrivalStream {
	name := c.Name
	if c.SharedArrivals != nil {
		name = c.SharedArrivals.Name
	}
	f := arrivalStream{
		clock:   arrival.NewClock(c.Arrivals, stats.NewStream(seed, "workload/arrivals/"+name)),
		members: []int32{member},
	}
	f.next = f.clock.Next()
	return f
}

// addPicker gives a stream of several clients its picker.
func (m *mergedClients) addPicker(f *arrivalStream, clients []Client, seed int64) {
	shared := clients[f.members[0]].SharedArrivals
	if shared == nil {
		return
	}
	inRound := make([]int, len(f.members))
	for i, member := range f.members {
		inRound[i] = 1
		if p := clients[member].Prompts; p != nil && p.Order != Random {
			inRound[i] = p.Count
		}
	}
	f.picker = newClientPicker(shared, inRound, seed)
}

// client is a Client under way.
type client struct {
	spec    Client
	seed    int64
	streams contentStreams
	*scratch
	nameHash, prefixSource uint64    // hash of the name, source of the prefix
	prefixes               *prefixes // nil where there is one
	sent                   uint64
	prompts                *prompts  // nil where every prompt is new
	sessions               *sessions // nil where there are none that do not wait
	reactor                *reactor  // nil where no request waits for an answer
	reactions              int32     // the reactor's stream

	tenant, class, adapter, headers, model int
}

func newClient(spec Client, all popularities, seed int64) client {
	stream := func(what string) *stats.Stream {
		return stats.NewStream(seed, "workload/"+what+"/"+spec.Name)
	}
	return client{
		reactor:      newReactor(newUsers(spec.ClosedLoop, stream), newAwaitedSessions(&spec, seed)),
		spec:         spec,
		seed:         seed,
		streams:      newContentStreams(&spec, stream),
		prefixes:     newPrefixes(&spec, all, seed),
		nameHash:     stats.HashString(spec.Name),
		prefixSource: groupText.source(stats.HashString(spec.PrefixGroup)),
		prompts:      newPrompts(spec.Prompts, stream),
		sessions:     newSessions(spec.Sessions, stream),
	}
}

// mergedClients is the source that NewClients returns.
type mergedClients struct {
	clients  []client
	streams  []arrivalStream
	heap     []int32        // indices of streams, by (next, index); never empty
	places   []int32        // of the streams in heap
	inFlight map[int]sender // who sent the requests whose ends are awaited, by ID
	labels   Labels
	sent     int
	sessions int32 // that have begun
	memory   prompt.Slab
	scratch  scratch
}

func (m *mergedClients) Labels() Labels { return m.labels }

// addLabels gives the names of a client numbers.
func (m *mergedClients) addLabels(i int, c *Client) {
	at := &m.clients[i]
	m.labels.Clients = append(m.labels.Clients, c.Name)
	m.labels.Tenants, at.tenant = intern.Name(m.labels.Tenants, cmp.Or(c.Tenant, DefaultLabel))
	m.labels.Classes, at.class = intern.Name(m.labels.Classes, cmp.Or(c.Class, DefaultLabel))
	if c.Adapter != "" {
		m.labels.Adapters, at.adapter = intern.Name(m.labels.Adapters, c.Adapter)
		at.adapter++
	}
	if c.Model != "" {
		m.labels.Models, at.model = intern.Name(m.labels.Models, c.Model)
		at.model++
	}
	if len(c.Headers) > 0 {
		m.labels.Headers, at.headers = intern.Headers(m.labels.Headers, c.Headers)
		at.headers++
	}
}

// sender is a place of a client's reactor.
type sender struct{ client, place int32 }

// addReactors adds the streams of the clients that answer ends.
func (m *mergedClients) addReactors() {
	for i := range m.clients {
		c := &m.clients[i]
		if c.reactor == nil {
			continue
		}
		c.reactions = int32(len(m.streams))
		m.streams = append(m.streams, arrivalStream{next: c.reactor.next(), members: []int32{int32(i)}, reactor: c.reactor})
	}
}

// Due implements [Listener].
func (m *mergedClients) Due() (simtime.Time, bool) {
	next := m.streams[m.heap[0]].next
	return next, next < due.MaxTime
}

// Next implements [Source].
func (m *mergedClients) Next() (r Request, ok bool) {
	f := &m.streams[m.heap[0]]
	if f.next >= due.MaxTime {
		return r, false
	}
	member := f.members[0]
	if f.picker != nil {
		member = f.members[f.picker.pick()]
	}
	at, place := f.next, int32(0)
	c := &m.clients[member]
	if f.reactor != nil {
		place = f.reactor.take()
	} else {
		if c.reactor != nil {
			place = c.reactor.open()
		}
		f.next = f.clock.Next()
	}
	r.ID, r.Client, r.Arrival = m.sent, int(member), at
	c.fillRequest(m, place, &r)
	if f.reactor != nil {
		f.next = f.reactor.next()
	}
	m.sent++
	m.siftDown(0)
	if c.reactor != nil {
		m.inFlight[r.ID] = sender{member, place}
		m.hasten(c)
	}
	return r, true
}

// hasten moves the stream of a client's reactor to where its next request belongs, which
// may be earlier than before.
func (m *mergedClients) hasten(c *client) {
	m.streams[c.reactions].next = c.reactor.next()
	m.siftUp(int(m.places[c.reactions]))
}

// Ended implements [Listener].
func (m *mergedClients) Ended(e End) {
	from, awaited := m.inFlight[e.ID]
	if !awaited {
		return
	}
	delete(m.inFlight, e.ID)
	c := &m.clients[from.client]
	c.reactor.ended(c, from.place, e)
	m.hasten(c)
}

// siftUp restores the heap's order above i, whose stream moved earlier.
func (m *mergedClients) siftUp(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if !m.less(i, parent) {
			return
		}
		m.swap(i, parent)
		i = parent
	}
}

func (m *mergedClients) swap(i, j int) {
	m.heap[i], m.heap[j] = m.heap[j], m.heap[i]
	m.places[m.heap[i]], m.places[m.heap[j]] = int32(i), int32(j)
}

// siftDown restores the heap's order below i, whose stream moved later.
func (m *mergedClients) siftDown(i int) {
	for {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(m.heap); child++ {
			if m.less(child, least) {
				least = child
			}
		}
		if least == i {
			return
		}
		m.swap(i, least)
		i = least
	}
}

func (m *mergedClients) less(i, j int) bool {
	a, b := m.heap[i], m.heap[j]
	if at, bt := m.streams[a].next, m.streams[b].next; at != bt {
		return at < bt
	}
	return a < b
}
