// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"fmt"
	"math"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// ReplayArrivals says how recorded times become arrivals.
type ReplayArrivals string

const (
	// AsRecorded keeps recorded times, batches of equal ones included.
	AsRecorded ReplayArrivals = "AsRecorded"
	// Spread spreads each batch of two or more requests of one recorded time
	// uniformly over the time to the next one (the last batch: over as long
	// as the batch before it), at random. Traces whose clock ticks every few
	// seconds have arrivals that came in between. Requests stay in recorded
	// order, and a request that is alone at its time stays there.
	Spread ReplayArrivals = "Spread"
)

// Replay says how a trace becomes a stream of requests.
type Replay struct {
	// RateScale multiplies the recorded rate: 2 halves every gap.
	RateScale float64
	// MaxRequests ends the stream after so many requests; 0 means no limit.
	MaxRequests int
	// Arrivals says how recorded times become arrivals.
	Arrivals ReplayArrivals
	// Client labels all requests, Tenant and Class those whose rows name none;
	// empty means "trace", DefaultLabel and DefaultLabel.
	Client, Tenant, Class string
	// Priority is that of all requests whose rows state none: higher is more
	// important.
	Priority int
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
			[]ReplayArrivals{AsRecorded, Spread}))
	}
	return errs
}

// Replay returns the trace's requests in recorded order; request i is row i,
// its prompt the same whatever the options. It panics if the options' Validate
// has anything to say. The seed decides how batches are spread and nothing
// else.
func (t *Trace) Replay(r Replay, seed int64) Source {
	if errs := r.Validate(field.NewPath("trace")); len(errs) > 0 {
		panic(fmt.Sprintf("workload: %v", errs.ToAggregate()))
	}
	p := &replay{
		trace: t,
		end:   len(t.rows),
		scale: r.RateScale,
		labels: Labels{
			Clients: []string{orDefault(r.Client, defaultTraceClient)},
			Tenants: []string{orDefault(r.Tenant, DefaultLabel)},
			Classes: []string{orDefault(r.Class, DefaultLabel)},
		},
	}
	p.attributes = t.columns.addLabels(&p.labels, r.Priority)
	if r.MaxRequests > 0 {
		p.end = min(p.end, r.MaxRequests)
	}
	if r.Arrivals == Spread {
		p.spread = newSpread(t.rows, seed)
	}
	return p
}

// replay is the source that Trace.Replay returns.
type replay struct {
	trace     *Trace
	next, end int // rows
	scale     float64
	spread    *spread // nil: as recorded
	labels    Labels
	// attributes are the trace's sets of them.
	attributes []attributeLabels
	memory     extentSlab
}

func (p *replay) Labels() Labels { return p.labels }

func (p *replay) Next() (Request, bool) {
	if p.next == p.end {
		return Request{}, false
	}
	i := p.next
	p.next++
	row := p.trace.rows[i]
	arrival := row.arrival
	if p.spread != nil {
		arrival = p.spread.arrival(i)
	}
	a := &p.attributes[p.trace.columns.setOf(i)]
	return Request{
		ID:           i,
		Arrival:      scaled(arrival, p.scale),
		Prompt:       p.trace.prompt(i, &p.memory),
		OutputTokens: int(row.output),
		Response:     tailText.source(uint64(i)), ResponseStart: p.trace.tail(i),
		Tenant: a.tenant, Class: a.class, Priority: a.priority,
		Session: p.trace.columns.sessionOf(i),
		Adapter: a.adapter, Headers: a.headers, Model: a.model,
	}, true
}

// scaled returns the time at a rate scale times as high, rounded to the
// nearest ns. A division is correctly rounded and so grows with the time:
// arrivals stay in order.
func scaled(at simtime.Time, scale float64) simtime.Time {
	if scale == 1 {
		return min(at, maxTime)
	}
	ns := math.Round(float64(at) / scale)
	if ns >= float64(maxTime) {
		return maxTime
	}
	return simtime.Time(ns)
}
