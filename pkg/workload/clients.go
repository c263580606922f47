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
// do not depend on the other clients, except on those with which it is Dealt.
//
// It panics if ValidateClients has anything to say.
func NewClients(clients []Client, seed int64) Source {
	if errs := ValidateClients(clients, field.NewPath("clients")); len(errs) > 0 {
		panic(fmt.Sprintf("workload: %v", errs.ToAggregate()))
	}
	m := &merged{clients: make([]client, len(clients))}
	dealt := map[*Dealt]int{} // their flows
	for i, c := range clients {
		m.clients[i] = newClient(c, seed)
		m.label(i, &clients[i])
		if c.Dealt != nil {
			if at, ok := dealt[c.Dealt]; ok {
				m.flows[at].members = append(m.flows[at].members, int32(i))
				continue
			}
			dealt[c.Dealt] = len(m.flows)
		}
		m.flows = append(m.flows, newFlow(&c, int32(i), seed))
	}
	for i := range m.flows {
		m.shuffle(&m.flows[i], clients, seed)
		m.heap = append(m.heap, int32(i))
	}
	for i := len(m.heap)/2 - 1; i >= 0; i-- {
		m.down(i)
	}
	return m
}

// flow is one arrival process: of one client, or dealt out to several.
type flow struct {
	clock   clock
	next    simtime.Time // arrival of the request to come
	members []int32
	dealer  *dealer // nil where there is one member
}

func newFlow(c *Client, member int32, seed int64) flow {
	name := c.Name
	if c.Dealt != nil {
		name = c.Dealt.Name
	}
	f := flow{
		clock:   newClock(c.Arrivals, stats.NewStream(seed, "workload/arrivals/"+name)),
		members: []int32{member},
	}
	f.next = f.clock.tick()
	return f
}

// shuffle gives a flow of several clients its dealer.
func (m *merged) shuffle(f *flow, clients []Client, seed int64) {
	dealt := clients[f.members[0]].Dealt
	if dealt == nil {
		return
	}
	inRound := make([]int, len(f.members))
	for i, member := range f.members {
		inRound[i] = 1
		if p := clients[member].Prompts; p != nil && p.Order != Random {
			inRound[i] = p.Count
		}
	}
	f.dealer = newDealer(dealt, inRound, seed)
}

// client is a Client under way.
type client struct {
	spec          Client
	input, output *stats.Stream
	name, group   uint64 // hash of the name, source of the prefix
	sent          uint64
	prompts       *prompts  // nil where every prompt is new
	sessions      *sessions // nil where there are none

	tenant, class, adapter, headers int
}

func newClient(spec Client, seed int64) client {
	stream := func(what string) *stats.Stream {
		return stats.NewStream(seed, "workload/"+what+"/"+spec.Name)
	}
	return client{
		spec:     spec,
		input:    stream("input"),
		output:   stream("output"),
		name:     stats.HashString(spec.Name),
		group:    groupText.source(stats.HashString(spec.PrefixGroup)),
		prompts:  newPrompts(spec.Prompts, stream),
		sessions: newSessions(spec.Sessions, stream),
	}
}

// send fills in the request to come, but for what only the merge knows.
func (c *client) send(m *merged, r *Request) {
	r.Tenant, r.Class, r.Priority = c.tenant, c.class, c.spec.Priority
	r.Adapter, r.Headers = c.adapter, c.headers
	own := c.write(m, r)
	var text []prompt.Extent
	if c.spec.PrefixTokens > 0 {
		text = m.memory.take(2)
		text[0] = prompt.Extent{Source: c.group, Tokens: int32(c.spec.PrefixTokens)}
		text[1] = own
	} else {
		text = m.memory.take(1)
		text[0] = own
	}
	r.Prompt = prompt.Prompt{Extents: text}
	c.sent++
}

// write draws what a request asks beside the prefix, and what is answered.
func (c *client) write(m *merged, r *Request) prompt.Extent {
	switch {
	case c.prompts != nil:
		number, tokens := c.prompts.take(c.ask)
		r.OutputTokens = c.spec.Output.draw(c.output)
		r.Response = answerText.source(c.name, c.sent)
		return prompt.Extent{Source: fixedText.source(c.name, uint64(number)), Tokens: tokens}
	case c.sessions != nil:
		return c.goOn(m, r)
	default:
		return c.askAnew(r, c.ask())
	}
}

func (c *client) ask() int { return c.spec.Input.draw(c.input) }

// askAnew makes a text that no other prompt has. The answer continues it.
func (c *client) askAnew(r *Request, tokens int) prompt.Extent {
	own := prompt.Extent{Source: uniqueText.source(c.name, c.sent), Tokens: int32(tokens)}
	r.OutputTokens = c.spec.Output.draw(c.output)
	r.Response, r.ResponseStart = own.Source, own.Tokens
	return own
}

// goOn makes the next turn of a session. Where context accumulates, a session is
// one text: what is asked continues what was answered, and the other way round.
func (c *client) goOn(m *merged, r *Request) prompt.Extent {
	asked := c.ask()
	s := c.sessions.turn(c.spec.PrefixTokens+asked, &m.sessions)
	r.Session = s.number
	if !c.sessions.spec.Accumulate {
		return c.askAnew(r, asked)
	}
	text := prompt.Extent{Source: sessionText.source(c.name, s.text), Tokens: int32(s.tokens + asked)}
	r.OutputTokens = c.spec.Output.draw(c.output)
	r.Response, r.ResponseStart = text.Source, text.Tokens
	s.tokens += asked + r.OutputTokens
	return text
}

// merged is the source that NewClients returns.
type merged struct {
	clients  []client
	flows    []flow
	heap     []int32 // indices of flows, by (next, index); never empty
	labels   Labels
	sent     int
	sessions int32 // that have begun
	memory   extents
}

func (m *merged) Labels() Labels { return m.labels }

// label gives the names of a client numbers.
func (m *merged) label(i int, c *Client) {
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

func (m *merged) Next() (r Request, ok bool) {
	f := &m.flows[m.heap[0]]
	if f.next >= latest {
		return r, false
	}
	member := f.members[0]
	if f.dealer != nil {
		member = f.members[f.dealer.deal()]
	}
	m.clients[member].send(m, &r)
	r.ID, r.Client, r.Arrival = m.sent, int(member), f.next
	m.sent++
	f.next = f.clock.tick()
	m.down(0)
	return r, true
}

// down restores the heap's order below i, whose flow moved later.
func (m *merged) down(i int) {
	for {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(m.heap); child++ {
			if m.before(child, least) {
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

func (m *merged) before(i, j int) bool {
	a, b := m.heap[i], m.heap[j]
	if at, bt := m.flows[a].next, m.flows[b].next; at != bt {
		return at < bt
	}
	return a < b
}
