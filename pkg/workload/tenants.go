// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/workload/internal/intern"
)

// Stated is what a tenant states of its requests. An empty Class and a nil Priority state
// nothing.
type Stated struct {
	Class    string
	Priority *int
}

// WithTenants returns the requests of a source with what their tenants state, by name.
func WithTenants(source Listener, stated map[string]Stated) Listener {
	if len(stated) == 0 {
		return source
	}
	t := &ofTenants{Listener: source, labels: source.Labels()}
	t.labels.Classes = slices.Clip(t.labels.Classes)
	for _, tenant := range t.labels.Tenants {
		s := tenantStates{priority: stated[tenant].Priority, class: -1}
		if class := stated[tenant].Class; class != "" {
			t.labels.Classes, s.class = intern.Name(t.labels.Classes, class)
		}
		t.states = append(t.states, s)
	}
	return t
}

// ofTenants is the source that WithTenants returns.
type ofTenants struct {
	Listener
	labels Labels
	states []tenantStates // by tenant
}

// tenantStates is what a tenant states, with the class as an index; -1 is none.
type tenantStates struct {
	priority *int
	class    int
}

// Labels implements [Source].
func (t *ofTenants) Labels() Labels { return t.labels }

// Next implements [Source].
func (t *ofTenants) Next() (Request, bool) {
	r, ok := t.Listener.Next()
	if !ok {
		return r, false
	}
	s := &t.states[r.Tenant]
	if s.priority != nil {
		r.Priority = *s.priority
	}
	if s.class >= 0 {
		r.Class = s.class
	}
	return r, true
}
