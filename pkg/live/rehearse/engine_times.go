// SPDX-License-Identifier: Apache-2.0

package rehearse

import (
	"sync"

	"windtunnel.dev/windtunnel/pkg/live/replicas"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// EngineTimes are the times of requests by the clock of the engines, which neither the network nor a
// busy machine reaches. It is safe for concurrent use.
type EngineTimes struct {
	mu      sync.Mutex
	streams []*replicas.Stream
}

// Submitted takes the stream of a request.
func (e *EngineTimes) Submitted(s *replicas.Stream) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.streams = append(e.streams, s)
}

// Metrics are engineTtft of all requests that have a token.
func (e *EngineTimes) Metrics() result.Metrics {
	e.mu.Lock()
	defer e.mu.Unlock()
	var ttft stats.Histogram
	for _, s := range e.streams {
		if p := s.Progress(); p.First > 0 {
			ttft.Record(int64(p.First.Sub(min(p.Queued, p.First))))
		}
	}
	if ttft.Count() == 0 {
		return result.Metrics{}
	}
	return result.NewMetrics(map[string]float64{"engineTtft.p50": ttft.Quantile(0.5) / 1e9, "engineTtft.p99": ttft.Quantile(0.99) / 1e9})
}
