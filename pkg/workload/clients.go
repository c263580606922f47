// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// NewClients returns the requests of all clients, merged in order of arrival;
// at one time the client with the lower index comes first. The source is
// endless, unless all arrivals have stages. Each client draws arrivals, inputs,
// outputs and the like from streams of its own, derived from the seed and its
// name, so its requests (but for their IDs, indices and the numbers of sessions)
// do not depend on the other clients, except on those with the same SharedArrivals.
//
// It panics if ValidateClients has anything to say.
func NewClients(clients []Client, seed int64) Source {
	if errs := ValidateClients(clients, field.NewPath("clients")); len(errs) > 0 {
		panic(fmt.Sprintf("workload: %v", errs.ToAggregate()))
	}
	m := &mergedClients{clients: make([]client, len(clients))}
	shared := map[*SharedArrivals]int{} // their streams
	for i, c := range clients {
		m.clients[i] = newClient(c, seed)
		m.addLabels(i, &clients[i])
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
		m.heap = append(m.heap, int32(i))
	}
	for i := len(m.heap)/2 - 1; i >= 0; i-- {
		m.siftDown(i)
	}
	return m
}

// arrivalStream is one arrival process: of one client, or shared by several.
type arrivalStream struct {
	clock   arrivalClock
	next    simtime.Time // arrival of the request to come
	members []int32
	picker  *clientPicker // nil where there is one member
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
	sessions               *sessions // nil where there are none

	tenant, class, adapter, headers int
}

func newClient(spec Client, seed int64) client {
	stream := func(what string) *stats.Stream {
		return stats.NewStream(seed, "workload/"+what+"/"+spec.Name)
	}
	return client{
		spec:         spec,
		input:        stream("input"),
		output:       stream("output"),
		nameHash:     stats.HashString(spec.Name),
		prefixSource: groupText.source(stats.HashString(spec.PrefixGroup)),
		prompts:      newPrompts(spec.Prompts, stream),
		sessions:     newSessions(spec.Sessions, stream),
	}
}

// fillRequest fills in the request to come, but for what only the merge knows.
func (c *client) fillRequest(m *mergedClients, r *Request) {
	r.Tenant, r.Class, r.Priority = c.tenant, c.class, c.spec.Priority
	r.Adapter, r.Headers = c.adapter, c.headers
	own := c.drawContent(m, r)
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
func (c *client) drawContent(m *mergedClients, r *Request) prompt.Extent {
	switch {
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
	text := prompt.Extent{Source: sessionText.source(c.nameHash, s.index), Tokens: int32(s.tokens + asked)}
	r.OutputTokens = c.spec.Output.draw(c.output)
	r.Response, r.ResponseStart = text.Source, text.Tokens
	s.tokens += asked + r.OutputTokens
	return text
}

// mergedClients is the source that NewClients returns.
type mergedClients struct {
	clients  []client
	streams  []arrivalStream
	heap     []int32 // indices of flows, by (next, index); never empty
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

func (m *mergedClients) Next() (r Request, ok bool) {
	f := &m.streams[m.heap[0]]
	if f.next >= maxTime {
		return r, false
	}
	member := f.members[0]
	if f.picker != nil {
		member = f.members[f.picker.pick()]
	}
	m.clients[member].fillRequest(m, &r)
	r.ID, r.Client, r.Arrival = m.sent, int(member), f.next
	m.sent++
	f.next = f.clock.next()
	m.siftDown(0)
	return r, true
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
		m.heap[i], m.heap[least] = m.heap[least], m.heap[i]
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
