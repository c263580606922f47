// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// plainAdapter is an adapter that a replica holds, or loads until it is ready.
type plainAdapter struct {
	id    int32
	ready simtime.Time
}

// canUseAdapter says whether a request may run as far as its adapter is concerned.
// Where it could as soon as that is loaded, and there is a place, it is.
func (p *plain) canUseAdapter(r *plainReplica, q *plainRequest) bool {
	if r.Adapters == nil || q.Info.Adapter == 0 {
		return true
	}
	for _, a := range r.adapters {
		if a.id == q.Info.Adapter {
			return a.ready <= p.now
		}
	}
	if len(r.adapters) == r.Adapters.Max {
		out := slices.IndexFunc(r.adapters, func(a *plainAdapter) bool {
			return a.ready <= p.now && !slices.ContainsFunc(r.running, func(o *plainRequest) bool { return o.Info.Adapter == a.id })
		})
		if out < 0 {
			return false
		}
		r.adapters = slices.Delete(r.adapters, out, out+1)
	}
	a := &plainAdapter{id: q.Info.Adapter, ready: p.now.Add(r.Adapters.LoadTime)}
	r.adapters = append(r.adapters, a)
	if a.ready > p.now {
		p.schedule(plainEvent{at: a.ready, kind: plainAdapterLoaded, number: r.index, replica: r, request: q})
	}
	return a.ready == p.now
}

// lacksAdapter says whether a request has to wait for its adapter. When it has no longer to, the
// wait is over.
func (p *plain) lacksAdapter(r *plainReplica, q *plainRequest) bool {
	if p.canUseAdapter(r, q) {
		if q.adapterAt != nil {
			p.metrics.Touch(p.now, q.Cell).AdapterWait.Record(int64(p.now.Sub(*q.adapterAt)))
			q.adapterAt = nil
		}
		return false
	}
	if q.adapterAt == nil {
		since := p.now
		q.adapterAt = &since
	}
	return true
}

// useAdapter makes a request's adapter the one that was used last.
func (r *plainReplica) useAdapter(q *plainRequest) {
	at := slices.IndexFunc(r.adapters, func(a *plainAdapter) bool { return a.id == q.Info.Adapter })
	if at >= 0 {
		a := r.adapters[at]
		r.adapters = append(slices.Delete(r.adapters, at, at+1), a)
	}
}

func (p *plain) loadsAdapter(r *plainReplica) bool {
	return slices.ContainsFunc(r.adapters, func(a *plainAdapter) bool { return a.ready > p.now })
}

// showAdapters lets the router see the adapters of replicas that have just
// started, if there are such.
func (p *plain) showAdapters() {
	if !servesAdapters(&p.Config) {
		return
	}
	p.view.Adapters = make([]policy.Adapters, len(p.replicas))
	for i, r := range p.replicas {
		if r.Adapters != nil {
			p.view.Adapters[i].Max = r.Adapters.Max
		}
	}
}

// scrapeAdapters writes down what a replica says of its adapters.
func (p *plain) scrapeAdapters(r *plainReplica) {
	if r.Adapters == nil {
		return
	}
	p.view.Adapters[r.index].Active = adaptersOf(r.running)
	p.view.Adapters[r.index].Waiting = adaptersOf(append(slices.Clone(r.waiting), r.loading...))
}

func adaptersOf(requests []*plainRequest) []int32 {
	var ids []int32
	for _, q := range requests {
		if q.Info.Adapter != 0 && !slices.Contains(ids, q.Info.Adapter) {
			ids = append(ids, q.Info.Adapter)
		}
	}
	slices.Sort(ids)
	return ids
}

// toldApart tells the blocks of one adapter from those of another.
func toldApart(identities []uint64, adapter int32) []uint64 {
	if adapter == 0 {
		return identities
	}
	for i := range identities {
		identities[i] = stats.Hash64(identities[i], uint64(adapter))
	}
	return identities
}
