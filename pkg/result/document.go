// SPDX-License-Identifier: Apache-2.0

package result

import (
	"windtunnel.dev/windtunnel/pkg/kv/stability"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// SchemaVersion names the layout of a [Document].
const SchemaVersion = "windtunnel.dev/result/v1"

// Document is the whole result of one simulation. Durations are in seconds,
// shares are from 0 to 1, rates are per second. It is not changed after it was
// made, and may be read concurrently.
type Document struct {
	SchemaVersion string     `json:"schemaVersion"`
	Key           string     `json:"key"`
	EngineVersion string     `json:"engineVersion"`
	Seed          int64      `json:"seed"`
	Provenance    Provenance `json:"provenance"`
	// MeasuredSeconds runs from the end of warm-up to the last measured
	// event: the span of throughput. EndSeconds is the end of the run,
	// WarmUpSeconds the part of it that is not measured.
	MeasuredSeconds float64 `json:"measuredSeconds"`
	WarmUpSeconds   float64 `json:"warmUpSeconds"`
	EndSeconds      float64 `json:"endSeconds"`
	// Decisions are those on the requests; documents of older versions lack them.
	Decisions Decisions `json:"decisions,omitzero"`
	// Traffic says when requests came; nil in documents of sweeps.
	Traffic *Traffic `json:"traffic,omitempty"`
	// Overall is over all requests. The groups of Classes, Tenants and Pools
	// are in the order of the workload's labels and of the scenario's pools;
	// requests that were rejected before they reached a pool are in no
	// group of Pools.
	Overall Group   `json:"overall"`
	Classes []Group `json:"classes"`
	Tenants []Group `json:"tenants"`
	Pools   []Group `json:"pools"`
	// Models are in the order of the scenario's routers. There are none where one
	// model is served.
	Models []Group `json:"models,omitempty"`
	// Selected are the groups of several labels that Meta.Metrics named, in
	// order of first mention.
	Selected []Group `json:"selected,omitempty"`
	// Adaptive says how the weights of routers changed, in the order of the routers, of
	// those whose weights do.
	Adaptive []Adaptation `json:"adaptive,omitempty"`
	// Stability are the states of the controllers that watch replicas, in order
	// of the replicas; in JSON there are only their means, in the groups.
	Stability []ReplicaStability `json:"-"`
}

// ReplicaStability is what the controller of one replica knew when arrivals
// ended.
type ReplicaStability struct {
	Pool string
	// Replica numbers the pool's replicas, from 0.
	Replica int
	State   stability.State
}

// NewDocument derives a document from what a simulation measured. It reads o
// only during the call.
func NewDocument(o *simulator.Result, m Meta) *Document {
	return newDocument(o, &m, func(Selector) bool { return true })
}

// newDocument is NewDocument with those groups of one label that are wanted.
func newDocument(o *simulator.Result, m *Meta, wanted func(Selector) bool) *Document {
	groups := func(all []Group, s Selector) []Group {
		if wanted(s) {
			all = append(all, newGroup(o, m, s))
		}
		return all
	}
	d := &Document{
		SchemaVersion:   SchemaVersion,
		Key:             m.Key,
		EngineVersion:   simulator.EngineVersion,
		Seed:            m.Seed,
		Provenance:      m.Provenance,
		MeasuredSeconds: o.Measured.Seconds(),
		WarmUpSeconds:   m.WarmUp.Seconds(),
		EndSeconds:      o.End.Seconds(),
		Decisions:       decisionsOf(o, m.Idle),
		Traffic:         m.Traffic,
		Overall:         newGroup(o, m, Selector{}),
		Classes:         []Group{},
		Tenants:         []Group{},
		Pools:           []Group{},
	}
	for _, name := range o.Labels.Classes {
		d.Classes = groups(d.Classes, Selector{Class: name})
	}
	for _, name := range o.Labels.Tenants {
		d.Tenants = groups(d.Tenants, Selector{Tenant: name})
	}
	for _, name := range o.Pools {
		d.Pools = groups(d.Pools, Selector{Pool: name})
	}
	for _, name := range m.Models() {
		d.Models = groups(d.Models, Selector{Model: name})
	}
	d.Adaptive = newAdaptations(m.Adaptations)
	d.Stability = stabilityStates(o)
	for _, metric := range m.Metrics {
		if s := metric.Selector; s.labels() > 1 && d.Group(s) == nil {
			d.Selected = append(d.Selected, newGroup(o, m, s))
		}
	}
	return d
}

// Value returns a metric's value, or false where it has no measurement.
// Metrics with several labels have values only where [Meta] named them.
func (d *Document) Value(m Metric) (float64, bool) {
	g := d.Group(m.Selector)
	if g == nil {
		return 0, false
	}
	return m.definition().value(g)
}

// Group returns the group of a selector, or nil where the document has none.
func (d *Document) Group(s Selector) *Group {
	var groups []Group
	switch {
	case s == Selector{}:
		return &d.Overall
	case s.labels() > 1:
		groups = d.Selected
	case s.Class != "":
		groups = d.Classes
	case s.Tenant != "":
		groups = d.Tenants
	case s.Pool != "":
		groups = d.Pools
	default:
		groups = d.Models
	}
	for i := range groups {
		if groups[i].Selector == s {
			return &groups[i]
		}
	}
	return nil
}
