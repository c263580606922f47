// SPDX-License-Identifier: Apache-2.0

package insight

import (
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// preemptionStorm counts preemptions in windows of time, and the requests that are preempted.
type preemptionStorm struct {
	tally
	total, most int
	window      simtime.Time
	inWindow    int
}

// preempted counts a preemption. Replicas tell of theirs in turn, so a late one counts in the window
// that is open.
func (s *preemptionStorm) preempted(p simulator.Preemption) {
	s.total++
	if w := p.At / simtime.Time(stormWindow); w > s.window {
		s.window, s.inWindow = w, 0
	}
	s.inWindow++
	s.most = max(s.most, s.inWindow)
}

func (s *preemptionStorm) ended(r *record) {
	s.looked++
	if r.preemptions > 0 {
		s.add(r)
	}
}

func (s *preemptionStorm) anomalies(c *Collector) []Anomaly {
	if s.most < c.by.Storm || s.count < c.by.MinRequests {
		return nil
	}
	return []Anomaly{s.anomaly(PreemptionStorm, "", 2*s.share(),
		Value{"preemptions", float64(s.total)}, Value{"most in 10 s", float64(s.most)})}
}
