// SPDX-License-Identifier: Apache-2.0

package servegen

import (
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload"
	"windtunnel.dev/windtunnel/pkg/workload/internal/due"
)

// Source returns the requests of all clients, which end with the last window. The seed
// decides gaps and lengths. Each client has random streams of its own, which carry the name,
// so another client changes none of its requests, and sources of different names have
// different ones.
func (d *Data) Source(name string, seed int64) workload.Source {
	s := &source{data: d, labels: workload.Labels{
		Tenants: []string{workload.DefaultLabel}, Classes: []string{workload.DefaultLabel},
	}}
	for i := range d.clients {
		c := &d.clients[i]
		s.labels.Clients = append(s.labels.Clients, c.name)
		stream := func(what string) *stats.Stream {
			return stats.NewStream(seed, "workload/servegen/"+name+"/"+what+"/"+c.name)
		}
		s.clients = append(s.clients, clientClock{
			client: c, nameHash: stats.HashString("servegen/" + name + "/" + c.name), at: c.windows[0].start,
			gaps: stream("gaps"), input: stream("input"), output: stream("output"),
		})
		s.schedule(int32(i))
	}
	return s
}

// source merges the clients by time.
type source struct {
	data    *Data
	labels  workload.Labels
	clients []clientClock
	next    due.Heap
	memory  prompt.Slab
	sent    int
}

// clientClock is a client at the time of its next arrival.
type clientClock struct {
	*client
	nameHash, sent      uint64
	at                  float64 // s
	window, histograms  int
	gaps, input, output *stats.Stream
}

// Labels implements [workload.Source].
func (s *source) Labels() workload.Labels { return s.labels }

// Next implements [workload.Source].
func (s *source) Next() (workload.Request, bool) {
	for len(s.next) > 0 {
		next := s.next.Pop()
		c := &s.clients[next.Place]
		input, output := c.drawLengths()
		// A text's id is of the client and its own number, which no other client changes.
		hash := stats.Hash64(c.nameHash, c.sent)
		c.sent++
		s.schedule(next.Place)
		if s.data.keeps(hash) {
			return s.request(next, workload.RecordedBlock(hash), input, output), true
		}
	}
	return workload.Request{}, false
}

// request makes a client's request with a text of its own.
func (s *source) request(at due.Place, text uint64, input, output int32) workload.Request {
	extents := s.memory.Take(1)
	extents[0] = prompt.Extent{Source: text, Tokens: input}
	r := workload.Request{
		ID: s.sent, Origin: workload.Origin{Step: s.sent + 1}, Arrival: at.At, Client: int(at.Place), OutputTokens: int(output),
		Prompt: prompt.Prompt{Extents: extents}, Response: text, ResponseStart: input,
	}
	s.sent++
	return r
}

// schedule puts a client's next arrival into the heap, if it has one.
func (s *source) schedule(i int32) {
	if c := &s.clients[i]; c.advance() {
		s.next.Push(due.Place{At: simtime.Time(c.at * 1e9), Place: i})
	}
}

// advance moves on to the next arrival. A gap is drawn in units of the expected number of
// requests, so one that goes on into another window has that window's rate there.
func (c *clientClock) advance() bool {
	for c.window < len(c.windows) && c.windows[c.window].ratePerSecond == 0 {
		c.enter(c.window + 1)
	}
	if c.window == len(c.windows) {
		return false
	}
	left := c.windows[c.window].gaps.draw(c.gaps)
	for {
		w := c.windows[c.window]
		if expected := float64(w.ratePerSecond * (w.end - c.at)); left >= expected {
			left -= expected
		} else {
			c.at = min(w.end, c.at+left/w.ratePerSecond)
			return true
		}
		if c.enter(c.window + 1); c.window == len(c.windows) {
			return false
		}
	}
}

// enter moves on to the beginning of a window.
func (c *clientClock) enter(window int) {
	if c.window = window; window < len(c.windows) {
		c.at = c.windows[window].start
	}
}

// drawLengths draws the lengths of a request, from the histograms of its time.
func (c *clientClock) drawLengths() (input, output int32) {
	for c.histograms+1 < len(c.lengths) && c.lengths[c.histograms+1].start <= c.at {
		c.histograms++
	}
	h := &c.lengths[c.histograms]
	return h.input.draw(c.input), h.output.draw(c.output)
}
