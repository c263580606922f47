// SPDX-License-Identifier: Apache-2.0

package arrival

import "windtunnel.dev/windtunnel/pkg/stats"

// periodic is a process with a request in each unit, moved by up to half a jitter. Requests
// stay in order, since jitter is 1 at most. A Constant process has none.
type periodic struct {
	jitter float64
	count  float64 // requests so far; whole
	stream *stats.Stream
}

func (p *periodic) next() float64 {
	p.count++
	if p.jitter == 0 {
		return p.count
	}
	return p.count + float64(p.jitter*(p.stream.Float64()-0.5))
}
