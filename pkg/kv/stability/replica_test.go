// SPDX-License-Identifier: Apache-2.0

package stability_test

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/kv/stability"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// request is the size of a request in tokens.
type request struct{ prompt, output int }

// replica is the model of the paper: steps of one length, and the queue's head
// runs as soon as the memory suffices until its end, whatever it takes.
type replica struct {
	tokens int
	step   time.Duration
	queue  []request
	// running is by the step of their ends, held the tokens that they hold, by
	// step; both from the present step on.
	running [][]request
	held    []int
}

// admit starts what fits.
func (r *replica) admit() {
	for len(r.queue) > 0 && r.fits(r.queue[0]) {
		head := r.queue[0]
		r.queue = r.queue[1:]
		for step := 0; step <= head.output; step++ {
			r.held[step] += head.prompt + step
		}
		r.running[head.output] = append(r.running[head.output], head)
	}
}

func (r *replica) fits(q request) bool {
	for len(r.held) <= q.output {
		r.held, r.running = append(r.held, 0), append(r.running, nil)
	}
	for step := 0; step <= q.output; step++ {
		if r.held[step]+q.prompt+step > r.tokens {
			return false
		}
	}
	return true
}

// run ends one step and returns what is complete.
func (r *replica) run() []request {
	done := r.running[0]
	r.held, r.running = r.held[1:], r.running[1:]
	return done
}

// load is Poisson arrivals of requests at a replica.
type load struct {
	replica   replica
	perSecond float64
	requests  func(*stats.Stream) request
	stream    *stats.Stream
	next      simtime.Time
	now       simtime.Time
	// heldTokens is summed over the steps with work in them, and their count.
	heldTokens, heldSquared, steps float64
}

func newLoad(tokens int, step time.Duration, perSecond float64, requests func(*stats.Stream) request) *load {
	return &load{
		replica: replica{tokens: tokens, step: step}, perSecond: perSecond, requests: requests,
		stream: stats.NewStream(1, "load"),
	}
}

// until runs to a time and tells a controller of everything.
func (l *load) until(end simtime.Time, c stability.Controller) {
	for ; l.now < end; l.now = l.now.Add(l.replica.step) {
		for l.next <= l.now {
			c.Arrival(l.next)
			l.replica.queue = append(l.replica.queue, l.requests(l.stream))
			l.next += simtime.Time(l.stream.Exponential() / l.perSecond * 1e9)
		}
		l.replica.admit()
		l.steps++
		if len(l.replica.held) == 0 || l.replica.held[0] == 0 {
			continue
		}
		l.heldTokens += float64(l.replica.held[0])
		l.heldSquared += float64(l.replica.held[0]) * float64(l.replica.held[0])
		ended := l.now.Add(l.replica.step)
		c.Steps(ended, 1, l.replica.step)
		for _, q := range l.replica.run() {
			c.Completion(ended, stability.Completion{
				PromptTokens: q.prompt, OutputTokens: q.output,
				Blocks: (q.prompt + q.output + 15) / 16, Service: l.replica.step * time.Duration(q.output+1),
			})
		}
	}
}
