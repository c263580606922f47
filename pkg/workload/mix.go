// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/workload/internal/intern"
)

// Mix returns the requests of several sources, merged in order of arrival; at one time
// the source with the lower index comes first. The requests of a source stay what they
// are, but for their IDs, the numbers of their sessions and their indices into the
// labels. Tenants and the like of one name are the same in all sources.
func Mix(sources ...Listener) Listener {
	if len(sources) == 1 {
		return sources[0]
	}
	m := &mix{inFlight: map[int]mixed{}}
	for _, s := range sources {
		m.parts = append(m.parts, m.add(s))
	}
	return m
}

// mix is the source that Mix returns.
type mix struct {
	parts    []part
	labels   Labels
	sent     int
	sessions int32
	inFlight map[int]mixed // by the IDs that the mix gives
}

// mixed is a request of a part, by the ID that the part gave it.
type mixed struct{ part, id int }

// part is one source of a mix, and what its indices are in the mix.
type part struct {
	source                                      Listener
	client                                      int // of the first one
	tenants, classes, adapters, models, headers []int
	sessions                                    map[int32]int32
}

// add adds the labels of a source to those of the mix.
func (m *mix) add(s Listener) part {
	p := part{source: s, client: len(m.labels.Clients), sessions: map[int32]int32{}}
	from, to := s.Labels(), &m.labels
	to.Clients = append(to.Clients, from.Clients...)
	p.tenants = internAll(&to.Tenants, from.Tenants)
	p.classes = internAll(&to.Classes, from.Classes)
	p.adapters = internAll(&to.Adapters, from.Adapters)
	p.models = internAll(&to.Models, from.Models)
	for _, headers := range from.Headers {
		var i int
		to.Headers, i = intern.Headers(to.Headers, headers)
		p.headers = append(p.headers, i)
	}
	return p
}

// internAll returns the indices of names in all names, to which it adds those that are
// new.
func internAll(all *[]string, names []string) []int {
	indices := make([]int, len(names))
	for i, name := range names {
		*all, indices[i] = intern.Name(*all, name)
	}
	return indices
}

// Labels implements [Source].
func (m *mix) Labels() Labels { return m.labels }

// first returns the part whose request arrives next, and when.
func (m *mix) first() (first int, at simtime.Time, known bool) {
	for i := range m.parts {
		if due, ok := m.parts[i].source.Due(); ok && (!known || due < at) {
			first, at, known = i, due, true
		}
	}
	return first, at, known
}

// Due implements [Listener].
func (m *mix) Due() (simtime.Time, bool) {
	_, at, known := m.first()
	return at, known
}

// Next implements [Source].
func (m *mix) Next() (Request, bool) {
	i, _, known := m.first()
	if !known {
		return Request{}, false
	}
	p := &m.parts[i]
	r, ok := p.source.Next()
	if !ok {
		return r, false
	}
	m.inFlight[m.sent] = mixed{i, r.ID}
	r.ID = m.sent
	m.sent++
	m.relabel(p, &r)
	return r, true
}

// relabel gives a request of a part the indices of the mix.
func (m *mix) relabel(p *part, r *Request) {
	r.Client += p.client
	r.Tenant, r.Class = p.tenants[r.Tenant], p.classes[r.Class]
	for _, of := range []struct {
		index *int
		all   []int
	}{{&r.Adapter, p.adapters}, {&r.Model, p.models}, {&r.Headers, p.headers}} {
		if *of.index > 0 {
			*of.index = of.all[*of.index-1] + 1
		}
	}
	if r.Session == 0 {
		return
	}
	number, known := p.sessions[r.Session]
	if !known {
		m.sessions++
		number = m.sessions
		p.sessions[r.Session] = number
	}
	r.Session = number
}

// Ended implements [Listener].
func (m *mix) Ended(e End) {
	from, ok := m.inFlight[e.ID]
	if !ok {
		return
	}
	delete(m.inFlight, e.ID)
	m.parts[from.part].source.Ended(End{ID: from.id, At: e.At, Ending: e.Ending})
}
