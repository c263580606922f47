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
// endless. Each client draws arrivals, inputs and outputs from three streams
// of its own, derived from the seed and its name, so its requests (but for
// their IDs and indices) do not depend on the other clients.
//
// It panics if ValidateClients has anything to say.
func NewClients(clients []Client, seed int64) Source {
	if errs := ValidateClients(clients, field.NewPath("clients")); len(errs) > 0 {
		panic(fmt.Sprintf("workload: %v", errs.ToAggregate()))
	}
	m := &merged{clients: make([]client, len(clients)), heap: make([]int32, len(clients))}
	for i, c := range clients {
		m.clients[i] = newClient(c, seed)
		m.labels.Clients = append(m.labels.Clients, c.Name)
		m.labels.Tenants, m.clients[i].tenant = intern(m.labels.Tenants, orDefault(c.Tenant, DefaultLabel))
		m.labels.Classes, m.clients[i].class = intern(m.labels.Classes, orDefault(c.Class, DefaultLabel))
		m.heap[i] = int32(i)
	}
	for i := len(m.heap)/2 - 1; i >= 0; i-- {
		m.down(i)
	}
	return m
}

// client is a Client under way.
type client struct {
	spec          Client
	clock         clock
	input, output *stats.Stream
	name, group   uint64 // hash of the name, source of the prefix
	sent          uint64
	next          simtime.Time // arrival of the request to come
	tenant, class int
}

func newClient(spec Client, seed int64) client {
	stream := func(what string) *stats.Stream {
		return stats.NewStream(seed, "workload/"+what+"/"+spec.Name)
	}
	c := client{
		spec: spec,
		clock: clock{
			arrivals: spec.Arrivals,
			stream:   stream("arrivals"),
			gapNs:    1e9 / spec.Arrivals.RatePerSecond,
		},
		input:  stream("input"),
		output: stream("output"),
		name:   stats.HashString(spec.Name),
		group:  groupText.source(stats.HashString(spec.PrefixGroup)),
	}
	c.next = c.clock.tick()
	return c
}

// send returns the request to come, without what only the merge knows.
func (c *client) send(memory *extents) Request {
	own := prompt.Extent{
		Source: uniqueText.source(c.name, c.sent),
		Tokens: int32(c.spec.Input.draw(c.input)),
	}
	var text []prompt.Extent
	if c.spec.PrefixTokens > 0 {
		text = memory.take(2)
		text[0] = prompt.Extent{Source: c.group, Tokens: int32(c.spec.PrefixTokens)}
		text[1] = own
	} else {
		text = memory.take(1)
		text[0] = own
	}
	r := Request{
		Arrival:      c.next,
		Prompt:       prompt.Prompt{Extents: text},
		OutputTokens: c.spec.Output.draw(c.output),
		Response:     own.Source, ResponseStart: own.Tokens,
		Tenant:   c.tenant,
		Class:    c.class,
		Priority: c.spec.Priority,
	}
	c.sent++
	c.next = c.clock.tick()
	return r
}

// merged is the source that NewClients returns.
type merged struct {
	clients []client
	heap    []int32 // indices of clients, by (next, index); never empty
	labels  Labels
	sent    int
	memory  extents
}

func (m *merged) Labels() Labels { return m.labels }

func (m *merged) Next() (Request, bool) {
	first := m.heap[0]
	c := &m.clients[first]
	if c.next >= latest {
		return Request{}, false
	}
	r := c.send(&m.memory)
	r.ID, r.Client = m.sent, int(first)
	m.sent++
	m.down(0)
	return r, true
}

// down restores the heap's order below i, whose client moved later.
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
	if at, bt := m.clients[a].next, m.clients[b].next; at != bt {
		return at < bt
	}
	return a < b
}
