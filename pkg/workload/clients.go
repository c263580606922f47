// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/stats"
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
	for i, c := range clients {
		m.clients[i] = newClient(c, seed)
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
	clock   arrivalClock
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
		clock:   newArrivalClock(c.Arrivals, stats.NewStream(seed, "workload/arrivals/"+name)),
		members: []int32{member},
	}
	f.next = f.clock.next()
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
	spec                   Client
	input, output          *stats.Stream
	nameHash, prefixSource uint64 // hash of the name, source of the prefix
	sent                   uint64
	prompts                *prompts  // nil where every prompt is new
	sessions               *sessions // nil where there are none that do not wait
	reactor                *reactor  // nil where no request waits for an answer
	reactions              int32     // the reactor's stream

	tenant, class, adapter, headers int
}

func newClient(spec Client, seed int64) client {
	stream := func(what string) *stats.Stream {
		return stats.NewStream(seed, "workload/"+what+"/"+spec.Name)
	}
	return client{
		reactor:      newReactor(newUsers(spec.ClosedLoop, stream), newAwaitedSessions(&spec, stream)),
		spec:         spec,
		input:        stream("input"),
		output:       stream("output"),
		nameHash:     stats.HashString(spec.Name),
		prefixSource: groupText.source(stats.HashString(spec.PrefixGroup)),
		prompts:      newPrompts(spec.Prompts, stream),
		sessions:     newSessions(spec.Sessions, stream),
	}
}

// fillRequest fills in the request that a place of the client's reactor sends, but for
// what only the merge knows. The place does not matter to a client without a reactor.
func (c *client) fillRequest(m *mergedClients, place int32, r *Request) {
	r.Tenant, r.Class, r.Priority = c.tenant, c.class, c.spec.Priority
	r.Adapter, r.Headers = c.adapter, c.headers
	r.FirstTokenTimeout, r.Timeout = c.spec.FirstTokenTimeout, c.spec.Timeout
	own := c.drawContent(m, place, r)
	var text []prompt.Extent
	if c.spec.PrefixTokens > 0 {
		text = m.memory.take(2)
		text[0] = prompt.Extent{Source: c.prefixSource, Tokens: int32(c.spec.PrefixTokens)}
		text[1] = own
	} else {
		text = m.memory.take(1)
		text[0] = own
	}
	r.Prompt = prompt.Prompt{Extents: text}
	c.sent++
}

// drawContent draws what a request asks beside the prefix, and what is answered.
func (c *client) drawContent(m *mergedClients, place int32, r *Request) prompt.Extent {
	switch {
	case c.reactor != nil && c.reactor.sessions != nil:
		return c.nextAwaitedTurn(m, place, r)
	case c.prompts != nil:
		number, tokens := c.prompts.nextPrompt(c.drawInput)
		r.OutputTokens = c.spec.Output.draw(c.output)
		r.Response = answerText.source(c.nameHash, c.sent)
		return prompt.Extent{Source: fixedText.source(c.nameHash, uint64(number)), Tokens: tokens}
	case c.sessions != nil:
		return c.nextTurn(m, r)
	default:
		return c.newPrompt(r, c.drawInput())
	}
}

func (c *client) drawInput() int { return c.spec.Input.draw(c.input) }

// newPrompt makes a text that no other prompt has. The answer continues it.
func (c *client) newPrompt(r *Request, tokens int) prompt.Extent {
	own := prompt.Extent{Source: uniqueText.source(c.nameHash, c.sent), Tokens: int32(tokens)}
	r.OutputTokens = c.spec.Output.draw(c.output)
	r.Response, r.ResponseStart = own.Source, own.Tokens
	return own
}

// nextTurn makes the next turn of a session. Where context accumulates, a session is
// one text: what is asked continues what was answered, and the other way round.
func (c *client) nextTurn(m *mergedClients, r *Request) prompt.Extent {
	asked := c.drawInput()
	s := c.sessions.turn(c.spec.PrefixTokens+asked, &m.sessions)
	r.Session = s.number
	if !c.sessions.spec.Accumulate {
		return c.newPrompt(r, asked)
	}
	text := c.sessionText(s.index, s.tokens+asked)
	r.OutputTokens = c.spec.Output.draw(c.output)
	r.Response, r.ResponseStart = text.Source, text.Tokens
	s.tokens += asked + r.OutputTokens
	return text
}

// nextAwaitedTurn makes the next turn of the session at a place, or the first one of a
// new session.
func (c *client) nextAwaitedTurn(m *mergedClients, place int32, r *Request) prompt.Extent {
	s := c.reactor.sessions.at(place)
	if s.stream == nil {
		m.sessions++
		s = c.reactor.sessions.begin(place, m.sessions)
	}
	r.Session = s.number
	r.OutputTokens = c.spec.Output.draw(s.stream)
	var text prompt.Extent
	if c.spec.Sessions.Accumulate {
		text = c.sessionText(s.index, s.tokens+s.asked)
		s.tokens += s.asked + r.OutputTokens
	} else {
		text = prompt.Extent{Source: turnText.source(c.nameHash, s.index, uint64(s.turnsLeft)), Tokens: int32(s.asked)}
	}
	r.Response, r.ResponseStart = text.Source, text.Tokens
	s.turnsLeft--
	return text
}

// sessionText returns the beginning of what a session of the client asks and is answered.
func (c *client) sessionText(index uint64, tokens int) prompt.Extent {
	return prompt.Extent{Source: sessionText.source(c.nameHash, index), Tokens: int32(tokens)}
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
	memory   extentSlab
}

func (m *mergedClients) Labels() Labels { return m.labels }

// addLabels gives the names of a client numbers.
func (m *mergedClients) addLabels(i int, c *Client) {
	at := &m.clients[i]
	m.labels.Clients = append(m.labels.Clients, c.Name)
	m.labels.Tenants, at.tenant = intern(m.labels.Tenants, orDefault(c.Tenant, DefaultLabel))
	m.labels.Classes, at.class = intern(m.labels.Classes, orDefault(c.Class, DefaultLabel))
	if c.Adapter != "" {
		m.labels.Adapters, at.adapter = intern(m.labels.Adapters, c.Adapter)
		at.adapter++
	}
	if len(c.Headers) > 0 {
		m.labels.Headers, at.headers = internHeaders(m.labels.Headers, c.Headers)
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
	return next, next < maxTime
}

// Next implements [Source].
func (m *mergedClients) Next() (r Request, ok bool) {
	f := &m.streams[m.heap[0]]
	if f.next >= maxTime {
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
		f.next = f.reactor.next()
	} else {
		if c.reactor != nil {
			place = c.reactor.open()
		}
		f.next = f.clock.next()
	}
	c.fillRequest(m, place, &r)
	r.ID, r.Client, r.Arrival = m.sent, int(member), at
	if c.reactor != nil {
		m.inFlight[r.ID] = sender{member, place}
	}
	m.sent++
	m.siftDown(0)
	return r, true
}

// Ended implements [Listener].
func (m *mergedClients) Ended(e End) {
	from, awaited := m.inFlight[e.ID]
	if !awaited {
		return
	}
	delete(m.inFlight, e.ID)
	c := &m.clients[from.client]
	c.reactor.ended(from.place, e)
	m.streams[c.reactions].next = c.reactor.next()
	m.siftUp(int(m.places[c.reactions]))
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
