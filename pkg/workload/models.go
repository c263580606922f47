// SPDX-License-Identifier: Apache-2.0

package workload

import "windtunnel.dev/windtunnel/pkg/workload/internal/intern"

// WithModels returns the requests of a source with other base models: of gives the model
// of the requests that name one in the source, or "" for requests that name none. It
// returns "" for requests that are to name none.
func WithModels(source Listener, of func(model string) string) Listener {
	labels := source.Labels()
	m := &remodelled{Listener: source, labels: labels}
	m.labels.Models = nil
	add := func(name string) {
		index := 0
		if name != "" {
			m.labels.Models, index = intern.Name(m.labels.Models, name)
			index++
		}
		m.models = append(m.models, index)
	}
	add(of(""))
	for _, name := range labels.Models {
		add(of(name))
	}
	return m
}

// remodelled is the source that WithModels returns.
type remodelled struct {
	Listener
	labels Labels
	models []int // by the number of the model in the source
}

// Labels implements [Source].
func (m *remodelled) Labels() Labels { return m.labels }

// Next implements [Source].
func (m *remodelled) Next() (Request, bool) {
	r, ok := m.Listener.Next()
	r.Model = m.models[r.Model]
	return r, ok
}
