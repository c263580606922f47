// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"cmp"
	"fmt"
	"math"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/workload"
	"windtunnel.dev/windtunnel/pkg/workload/internal/due"
)

// Arrivals says how recorded times become arrivals.
type Arrivals string

const (
	// AsRecorded keeps recorded times, batches of equal ones included.
	AsRecorded Arrivals = "AsRecorded"
	// Spread spreads each batch of two or more requests of one recorded time
	// uniformly over the time to the next one (the last batch: over as long
	// as the batch before it), at random. Traces whose clock ticks every few
	// seconds have arrivals that came in between. Requests stay in recorded
	// order, and a request that is alone at its time stays there.
	Spread Arrivals = "Spread"
)

// Replay says how a trace becomes a stream of requests.
type Replay struct {
	// RateScale multiplies the recorded rate: 2 halves every gap.
	RateScale float64
	// MaxRequests ends the stream after a number of requests; 0 means no limit.
	MaxRequests int
	// Arrivals says how recorded times become arrivals.
	Arrivals Arrivals
	// Loop, if set, has the trace begin again after its last row, without end. The trace's
	// Period must not be 0.
	Loop Loop
	// Concurrent is how many sessions are under way at a time, with the agents that they begin; 0 has them begin as
	// recorded. The trace's AnswersEnds must be true.
	Concurrent int
	// Alone says that no other source of the run replays a trace. Two traces have texts in
	// common where their ids are equal.
	Alone bool
	// Client labels all requests, Tenant and Class those whose rows name none;
	// empty means "trace", workload.DefaultLabel and workload.DefaultLabel.
	Client, Tenant, Class string
	// Priority is that of all requests whose rows state none: higher is more
	// important.
	Priority int
	// FirstTokenTimeout and Timeout are how long clients wait for the first token and
	// for the last one; 0 is without end.
	FirstTokenTimeout, Timeout time.Duration
}

const (
	defaultTraceClient         = "trace"
	minRateScale, maxRateScale = 1e-6, 1e6
)

// Validate returns the faults of the replay, under the names that the API
// gives its fields.
func (r Replay) Validate(path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if !(r.RateScale >= minRateScale && r.RateScale <= maxRateScale) {
		errs = append(errs, field.Invalid(path.Child("rateScale"), r.RateScale,
			fmt.Sprintf("must be between %.0e and %.0e", minRateScale, maxRateScale)))
	}
	if r.MaxRequests < 0 {
		errs = append(errs, field.Invalid(path.Child("maxRequests"), r.MaxRequests, "must not be negative"))
	}
	if r.Arrivals != AsRecorded && r.Arrivals != Spread {
		errs = append(errs, field.NotSupported(path.Child("arrivals"), r.Arrivals,
			[]Arrivals{AsRecorded, Spread}))
	}
	switch at := path.Child("concurrentSessions"); {
	case r.Concurrent < 0:
		errs = append(errs, field.Invalid(at, r.Concurrent, "must not be negative"))
	case r.Concurrent > 0 && r.Loop != "":
		errs = append(errs, field.Forbidden(at, "sessions that begin one after the other cannot loop"))
	case r.Concurrent > 0 && r.Arrivals == Spread:
		errs = append(errs, field.Forbidden(at, "sessions that begin one after the other have no recorded times to spread"))
	}
	if r.Loop != "" && r.Loop != SamePrefixes && r.Loop != FreshPrefixes {
		errs = append(errs, field.NotSupported(path.Child("loop"), r.Loop, []Loop{SamePrefixes, FreshPrefixes}))
	}
	return errs
}

// Replay returns the trace's requests in recorded order, the prompt of a row the same
// whatever the options. Where no row waits for an answer, request i is row i. It
// panics if the options' Validate has anything to say. The seed decides how batches
// are spread and nothing else; of a trace without rows, it decides all requests. Where the trace's [Trace.AnswersEnds] returns false,
// Ended need not be called.
func (t *Trace) Replay(r Replay, seed int64) workload.Listener {
	if errs := r.Validate(field.NewPath("trace")); len(errs) > 0 {
		panic(fmt.Sprintf("trace: %v", errs.ToAggregate()))
	}
	if t.described != nil {
		return t.replayDescribed(r, seed)
	}
	p := &replay{
		trace: t,
		rows:  t.cursor(),
		end:   t.requests,
		times: [2]time.Duration{r.FirstTokenTimeout, r.Timeout},
		scale: r.RateScale,
		labels: workload.Labels{
			Clients: []string{cmp.Or(r.Client, defaultTraceClient)},
			Tenants: []string{cmp.Or(r.Tenant, workload.DefaultLabel)},
			Classes: []string{cmp.Or(r.Class, workload.DefaultLabel)},
		},
	}
	p.alone = r.Alone && r.Loop == ""
	p.attributes = t.columns.addLabels(&p.labels, r.Priority)
	if r.Loop != "" && t.Period() > 0 {
		p.end = math.MaxInt
		p.loop = &loop{trace: t, fresh: r.Loop == FreshPrefixes, rows: p.rows}
		p.rows = p.loop
	}
	if r.MaxRequests > 0 {
		p.end = min(p.end, r.MaxRequests)
	}
	if r.Arrivals == Spread {
		p.rows = newSpread(p.rows, r.Client, seed)
	}
	if r.Concurrent > 0 && t.AnswersEnds() {
		p.beginTrees(r.Concurrent)
	}
	return p
}

// AnswersEnds reports whether some rows wait for the ends of others.
func (t *Trace) AnswersEnds() bool { return len(t.columns.delay) > 0 }

// replay is the source that Trace.Replay returns.
type replay struct {
	trace *Trace
	rows  cursor
	loop  *loop // nil without one
	// alone says that a text that comes in one row only is in one request only.
	alone bool
	end   int // rows
	scale float64
	// next is the row that arrives next of those that do not wait, where some is set.
	next        entry
	began, some bool
	labels      workload.Labels
	// attributes are the trace's sets of them.
	attributes []attributeLabels
	memory     prompt.Slab

	times    [2]time.Duration // time-outs of the first token and of the last one
	sent     int
	waiting  due.Heap    // rows whose sessions were answered
	inFlight map[int]int // rows that others wait for, by the IDs of their requests
	// concurrent bounds the sessions under way; nil has them begin as recorded.
	concurrent *concurrent
	// missing are how many answers rows that wait for several still wait for, where some came.
	missing map[int]int32
}

func (p *replay) Labels() workload.Labels { return p.labels }

// Due implements [workload.Listener].
func (p *replay) Due() (simtime.Time, bool) {
	at := due.MaxTime
	if p.recorded() {
		at = p.next.arrival
	}
	if len(p.waiting) > 0 {
		at = min(at, p.waiting[0].At)
	}
	return at, at < due.MaxTime
}

// Next implements [workload.Source]. At one time, what is recorded for it comes before what
// answers ends.
func (p *replay) Next() (workload.Request, bool) {
	recorded := p.recorded()
	switch {
	case len(p.waiting) > 0 && (!recorded || p.waiting[0].At < p.next.arrival):
		next := p.waiting.Pop()
		e := p.waitingRow(int(next.Place))
		return p.request(&e, next.At), true
	case recorded:
		r := p.request(&p.next, p.next.arrival)
		p.advance()
		return r, true
	}
	return workload.Request{}, false
}

// Ended implements [workload.Listener]. The rows that wait for a request that was not answered
// are not sent.
func (p *replay) Ended(e workload.End) {
	row, awaited := p.inFlight[e.ID]
	if !awaited {
		return
	}
	delete(p.inFlight, e.ID)
	if e.Ending == workload.Completed {
		if next := p.nextOf(row); next > 0 {
			p.follow(next, e.At)
		}
		p.endLinks(row, e.At)
	}
	p.endRow(row, e.At)
}

// nextOf returns the row that waits for the end of a row; 0 is none. Rows of further rounds
// of a loop follow those of the first.
func (p *replay) nextOf(row int) int {
	within := row % p.trace.requests
	next := p.trace.columns.nextOf(within)
	if next == 0 {
		return 0
	}
	return row - within + next
}

// waitingRow returns a row that waited.
func (p *replay) waitingRow(row int) (e entry) {
	p.trace.fill(&e, row%p.trace.requests)
	if p.loop != nil {
		p.loop.shiftTo(&e, row/p.trace.requests)
	}
	return e
}

// Close closes the file of a trace that is not in memory. It returns the error that ended
// the replay before the trace's last row.
func (p *replay) Close() error { return p.rows.close() }

// recorded reports whether there is a next row. The first call reads it: a replay that
// sends nothing opens no file.
func (p *replay) recorded() bool {
	if !p.began {
		p.began = true
		p.advance()
	}
	return p.some
}

// advance moves on to the next row that does not wait for another.
func (p *replay) advance() {
	for p.some = p.rows.next(&p.next); p.some; p.some = p.rows.next(&p.next) {
		if p.some = p.next.index < p.end; !p.some {
			return
		}
		if !p.next.waits {
			p.next.arrival = p.trace.arrives(p.next.arrival, p.scale)
			return
		}
	}
}

// request makes the request of a row.
func (p *replay) request(e *entry, arrival simtime.Time) workload.Request {
	id := p.sent
	p.sent++
	if p.concurrent != nil || p.awaited(e.index) {
		if p.inFlight == nil {
			p.inFlight = map[int]int{}
		}
		p.inFlight[id] = e.index
	}
	text := e.prompt(p.trace.blockTokens, &p.memory)
	if p.alone {
		text.Own = len(text.Extents) - p.trace.sharedOf(e)
	}
	a := &p.attributes[e.set]
	return workload.Request{
		ID:           id,
		Arrival:      arrival,
		Prompt:       text,
		OutputTokens: int(e.output),
		Response:     workload.RecordedTail(e.index), ResponseStart: e.tail(p.trace.blockTokens),
		Tenant: a.tenant, Class: a.class, Priority: a.priority,
		Session: e.session, Origin: workload.Origin{Session: e.session, Step: e.index + 1},
		Adapter: a.adapter, Headers: a.headers, Model: a.model,
		FirstTokenTimeout: p.times[0], Timeout: p.times[1],
	}
}

// arrives returns when a row arrives that was recorded so long after the first one.
func (t *Trace) arrives(at simtime.Time, scale float64) simtime.Time {
	return scaled(at+t.lead, scale)
}

// scaled returns the time at a rate scale times as high, rounded to the
// nearest ns. A division is correctly rounded and so grows with the time:
// arrivals stay in order.
func scaled(at simtime.Time, scale float64) simtime.Time {
	if scale == 1 {
		return min(at, due.MaxTime)
	}
	ns := math.Round(float64(at) / scale)
	if ns >= float64(due.MaxTime) {
		return due.MaxTime
	}
	return simtime.Time(ns)
}
