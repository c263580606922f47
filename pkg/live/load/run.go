// SPDX-License-Identifier: Apache-2.0

package load

import (
	"context"
	"errors"
	"net/http"

	"k8s.io/utils/clock"

	"windtunnel.dev/windtunnel/pkg/live/picker"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// maxInFlight bounds the requests that are in flight at once, each of which has a connection.
const maxInFlight = 10_000

// Options say what to send, where, and how fast.
type Options struct {
	// Source gives the requests, and Listener, which may be nil, hears of their ends, as those of
	// [simulator.Config]. Run uses them up.
	Source   workload.Source
	Listener workload.Listener
	Horizon  simulator.Horizon
	// Target is the URL of the server, without the path of the API. Where there is a Picker, its
	// EPP chooses the endpoint of each request, and Target is not used.
	Target string
	Picker *picker.Client
	API    API
	// Model is what requests ask for that name neither a model nor an adapter.
	Model string
	// Priorities has requests carry their priority, which an engine refuses that does not order its
	// queue by it.
	Priorities bool
	// Objective names the InferenceObjective of a request; nil is its class.
	Objective func(*workload.Request) string
	// Seed is in the IDs of the requests.
	Seed int64
	// Speed is how many seconds of the workload pass in one second; above 0.
	Speed float64
	// Transport, if it is not nil, carries the requests to endpoints.
	Transport http.RoundTripper
	// Ended receives each request that was sent, once, in the order of the ends. Calls do not
	// overlap.
	Ended func(*Outcome) error
}

// Summary says what the client did.
type Summary struct {
	// Sent are the requests, PeakInFlight how many were in flight at once.
	Sent, PeakInFlight int
	// Late is by how much requests were sent after their time, in ns of the clock of the machine.
	Late stats.Histogram
	// End is the time of the workload at which the last request ended.
	End simtime.Time
}

// Run sends the requests of a workload at their times, and returns when all of them have ended. It
// has one goroutine for each request in flight, and one more for each that an EPP hears of. Where
// ctx ends, requests in flight are given up, and count as unfinished.
func Run(ctx context.Context, o Options) (*Summary, error) {
	flight, cutOff := context.WithCancel(ctx)
	defer cutOff()
	clock := runClock{start: clock.RealClock{}.Now(), speed: o.Speed}
	r := &run{
		Options: o, clock: clock, sender: newSender(&o, clock), texts: newTexts(), tokens: map[int32]string{},
		labels: o.Source.Labels(), ends: make(chan *Outcome),
	}
	fault := r.sendAll(ctx, flight)
	if fault == nil {
		fault = r.drain(ctx)
	}
	cutOff()
	for r.inFlight > 0 {
		if err := r.ended(<-r.ends); fault == nil {
			fault = err
		}
	}
	r.summary.End = clock.now()
	if err := errors.Join(fault, workload.Close(o.Source)); err != nil {
		return nil, err
	}
	return &r.summary, nil
}

// run is a run under way. One goroutine uses it.
type run struct {
	Options
	clock  runClock
	sender *sender
	texts  *texts
	labels workload.Labels
	// tokens are what the last answers of sessions say that their next requests are to carry.
	tokens map[int32]string
	// next is the request that Source gives next; nil where it was not asked.
	next     *workload.Request
	ends     chan *Outcome
	inFlight int
	// closed says that the listener hears of no more ends.
	closed  bool
	summary Summary
}

// sendAll sends requests until no more arrive.
func (r *run) sendAll(ctx, flight context.Context) error {
	defer func() { r.closed = true }()
	horizon := simtime.Never
	if r.Horizon.Duration > 0 {
		horizon = simtime.Time(r.Horizon.Duration)
	}
	for r.Horizon.Requests == 0 || r.summary.Sent < r.Horizon.Requests {
		due, known := r.due()
		wake := min(due, horizon)
		now := r.clock.now()
		switch {
		case !known && (r.Listener == nil || r.inFlight == 0), wake == horizon && now >= horizon:
			return nil
		case known && due < horizon && due <= now && r.inFlight < maxInFlight:
			r.send(flight)
			continue
		case r.inFlight >= maxInFlight:
			wake = simtime.Never
		}
		if err := r.wait(ctx, wake, due); err != nil {
			return err
		}
	}
	return nil
}

// drain waits for the ends of what is in flight, as long as the horizon says.
func (r *run) drain(ctx context.Context) error {
	now := r.clock.now()
	deadline := now.Add(r.Horizon.Drain)
	if deadline < now {
		deadline = simtime.Never
	}
	for r.inFlight > 0 && r.clock.now() < deadline {
		if err := r.wait(ctx, deadline, simtime.Never); err != nil {
			return err
		}
	}
	return nil
}

// due is when the next request arrives that is known; Never where none is.
func (r *run) due() (simtime.Time, bool) {
	if r.Listener != nil {
		if due, known := r.Listener.Due(); known {
			return due, true
		}
		return simtime.Never, false
	}
	if r.next == nil {
		q, ok := r.Source.Next()
		if !ok {
			return simtime.Never, false
		}
		r.next = &q
	}
	return r.next.Arrival, true
}

// take is the next request, which is due.
func (r *run) take() workload.Request {
	if r.next == nil {
		q, _ := r.Source.Next()
		return q
	}
	q := *r.next
	r.next = nil
	return q
}

// send sends the next request.
func (r *run) send(flight context.Context) {
	q := r.take()
	c := &call{request: q, path: r.API.path(), header: r.headers(&q), body: r.body(&q)}
	r.summary.Sent++
	r.inFlight++
	r.summary.PeakInFlight = max(r.summary.PeakInFlight, r.inFlight)
	r.summary.Late.Record(int64(r.clock.wall(r.clock.now().Sub(q.Arrival))))
	go func() { r.ends <- r.sender.send(flight, c) }()
}

// body is the body of a request.
func (r *run) body(q *workload.Request) []byte {
	b := body{Model: r.Model, MaxTokens: q.OutputTokens}
	if q.Model > 0 {
		b.Model = r.labels.Models[q.Model-1]
	}
	if q.Adapter > 0 {
		b.Model = r.labels.Adapters[q.Adapter-1]
	}
	if r.Priorities {
		b.Priority = -q.Priority
	}
	return r.API.encode(b, r.texts.of(q.Prompt))
}

// wait waits for the end of a request, or for a time. A request is due at another time: then an end
// that comes later is heard in time for it.
func (r *run) wait(ctx context.Context, until, due simtime.Time) error {
	come, stop := r.clock.until(until)
	defer stop()
	select {
	case o := <-r.ends:
		r.hear(o, min(r.clock.now(), due))
		return r.ended(o)
	case <-come:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// hear tells the source of an end.
func (r *run) hear(o *Outcome, at simtime.Time) {
	if r.Listener != nil && !r.closed {
		r.Listener.Ended(workload.End{ID: o.ID, At: at, Ending: o.ending()})
	}
}

// ended takes the end of a request.
func (r *run) ended(o *Outcome) error {
	r.inFlight--
	if session := o.Request.Session; session > 0 {
		r.texts.keep(o.Request.Response, o.Request.ResponseStart, o.answer)
		if o.token != "" {
			r.tokens[session] = o.token
		}
	}
	o.Measured = o.Arrival >= simtime.Time(r.Horizon.WarmUp)
	o.Pool, o.Replica = simulator.NoPool, simulator.NoReplica
	return r.Ended(o)
}
