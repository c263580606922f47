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
	// Detectors are the saturations by those of a detector that has several.
	Detectors []Saturation
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
	// MaxRequests and MaxBytes are what it may hold; 0 is without limit.
	MaxRequests, MaxBytes int64
}

// RequestShare is how many of the requests that a band may hold it holds; 0 without a limit.
func (b QueuedBand) RequestShare() float64 { return share(b.Requests, b.MaxRequests) }

// ByteShare is RequestShare for bytes.
func (b QueuedBand) ByteShare() float64 { return share(b.Bytes, b.MaxBytes) }

func share(held, most int64) float64 {
	if most == 0 {
		return 0
	}
	return float64(held) / float64(most)
}

// InFlight counts requests, and the prompt tokens that a producer counts for them.
type InFlight struct{ Requests, Tokens int64 }

// Reset sets all metrics to 0 and keeps the memory.
func (m *RouterMetrics) Reset() {
	*m = RouterMetrics{InFlight: m.InFlight[:0], Bands: m.Bands[:0], Detectors: m.Detectors[:0]}
}

// Raise sets the saturation to that of another router where it is higher.
func (m *RouterMetrics) Raise(s Saturation) { m.Saturation = m.Saturation.orHigher(s) }

// RaiseDetector is Raise for one of several detectors.
func (m *RouterMetrics) RaiseDetector(i int, s Saturation) {
	for len(m.Detectors) <= i {
		m.Detectors = append(m.Detectors, Saturation{})
	}
	m.Detectors[i] = m.Detectors[i].orHigher(s)
}

// Detector returns the saturation of one of several detectors.
func (m *RouterMetrics) Detector(i int) Saturation {
	if i >= len(m.Detectors) {
		return Saturation{}
	}
	return m.Detectors[i]
}

func (s Saturation) orHigher(o Saturation) Saturation {
	return Saturation{max(s.Prefill, o.Prefill), max(s.Decode, o.Decode), max(s.Effective, o.Effective)}
}

// Queue adds to what is held of a priority.
func (m *RouterMetrics) Queue(priority int, requests, bytes int64) {
	b := m.band(priority)
	b.Requests += requests
	b.Bytes += bytes
}

// Limit adds to what may be held of a priority.
func (m *RouterMetrics) Limit(priority int, requests, bytes int64) {
	b := m.band(priority)
	b.MaxRequests += requests
	b.MaxBytes += bytes
}

func (m *RouterMetrics) band(priority int) *QueuedBand {
	at := slices.IndexFunc(m.Bands, func(b QueuedBand) bool { return b.Priority == priority })
	if at < 0 {
		at, m.Bands = len(m.Bands), append(m.Bands, QueuedBand{Priority: priority})
	}
	return &m.Bands[at]
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
