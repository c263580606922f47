// SPDX-License-Identifier: Apache-2.0

package rehearse

import (
	"sync"
	"time"

	"windtunnel.dev/windtunnel/pkg/live/replicas"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// EngineTimes are the times of requests by the clock of the engines, which neither the network nor a
// busy machine reaches. Its zero value has none. It is safe for concurrent use.
type EngineTimes struct {
	mu      sync.Mutex
	streams map[string]*replicas.Stream
	// told are those of records.
	told     map[string]requestTimes
	measured []string
}

// Submitted takes the stream of a request.
func (e *EngineTimes) Submitted(request string, s *replicas.Stream) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.streams == nil {
		e.streams = map[string]*replicas.Stream{}
	}
	e.streams[request] = s
}

// Measure counts a request in, which is not one of the warm-up.
func (e *EngineTimes) Measure(request string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.measured = append(e.measured, request)
}

// requestTimes are those of a request with a token: Decode is from the first one to the last.
type requestTimes struct {
	TTFT, Decode time.Duration
	Tokens       int
}

// timesOf are those of a request; false where it has no token.
func (e *EngineTimes) timesOf(request string) (requestTimes, bool) {
	if s := e.streams[request]; s != nil {
		p := s.Progress()
		return requestTimes{p.TTFT, p.Last.Sub(p.First), p.Tokens}, p.First > 0
	}
	took, is := e.told[request]
	return took, is
}

// Metrics are engineTtft and tpot of the measured requests that have a token, and another one.
func (e *EngineTimes) Metrics() result.Metrics {
	e.mu.Lock()
	defer e.mu.Unlock()
	var ttft, tpot stats.Histogram
	for _, request := range e.measured {
		if took, is := e.timesOf(request); is {
			ttft.Record(int64(took.TTFT))
			if took.Tokens > 1 {
				tpot.Record(int64(took.Decode) / int64(took.Tokens-1))
			}
		}
	}
	if ttft.Count() == 0 {
		return result.Metrics{}
	}
	metrics := map[string]float64{"engineTtft.p50": ttft.Quantile(0.5) / 1e9, "engineTtft.p99": ttft.Quantile(0.99) / 1e9}
	if tpot.Count() > 0 {
		metrics["tpot.mean"] = tpot.Mean() / 1e9
	}
	return result.NewMetrics(metrics)
}
