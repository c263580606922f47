// SPDX-License-Identifier: Apache-2.0

package policy

import "slices"

// RouterMetrics are the gauges that a router exports to a monitoring system, in addition to
// what the gateway counts.
type RouterMetrics struct {
	// QueuedBytes are the bytes of the prompts that the router's flow control holds.
	QueuedBytes int64
	// Bands are the requests that flow control holds, by priority.
	Bands []QueuedBand
	// Saturation is that of the pools, by which flow control holds requests.
	Saturation Saturation
	// InFlight is what the router has sent to endpoints: by producer of the counts, and for
	// each producer by endpoint; len == producers · endpoints.
	InFlight []InFlight
}

// Saturation is the load of pools as a share of their limits, which may exceed 1; 0 for a pool
// that does not exist. Effective is that of the fuller one.
type Saturation struct{ Prefill, Decode, Effective float64 }

// QueuedBand counts what flow control holds of a priority: requests, and the bytes of their prompts.
type QueuedBand struct {
	Priority        int
	Requests, Bytes int64
}

// InFlight counts requests, and the prompt tokens that a producer counts for them.
type InFlight struct{ Requests, Tokens int64 }

// Reset sets all metrics to 0 and keeps the memory.
func (m *RouterMetrics) Reset() {
	*m = RouterMetrics{InFlight: m.InFlight[:0], Bands: m.Bands[:0]}
}

// Raise sets the saturation to that of another router where it is higher.
func (m *RouterMetrics) Raise(s Saturation) {
	m.Saturation = Saturation{max(m.Saturation.Prefill, s.Prefill), max(m.Saturation.Decode, s.Decode), max(m.Saturation.Effective, s.Effective)}
}

// Queue adds to what is held of a priority.
func (m *RouterMetrics) Queue(priority int, requests, bytes int64) {
	at := slices.IndexFunc(m.Bands, func(b QueuedBand) bool { return b.Priority == priority })
	if at < 0 {
		at, m.Bands = len(m.Bands), append(m.Bands, QueuedBand{Priority: priority})
	}
	m.Bands[at].Requests += requests
	m.Bands[at].Bytes += bytes
}

// Band returns what is held of a priority.
func (m *RouterMetrics) Band(priority int) QueuedBand {
	for _, b := range m.Bands {
		if b.Priority == priority {
			return b
		}
	}
	return QueuedBand{Priority: priority}
}

// Load returns the counts of n pairs of producer and endpoint, to be added to.
func (m *RouterMetrics) Load(n int) []InFlight {
	for len(m.InFlight) < n {
		m.InFlight = append(m.InFlight, InFlight{})
	}
	return m.InFlight
}

// MetricsExporter is a router with metrics of its own.
type MetricsExporter interface {
	// Export adds the metrics of a router, by its number, to those that are there. The view
	// is only valid during the call.
	Export(view *View, router int, m *RouterMetrics)
}
