// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"fmt"

	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
)

// checkShape says what of a decision that was read does not fit together: a list that is not
// as long as that of the endpoints or of the candidates, or an endpoint that is not there.
// A ConfigMap may hold lines that this program did not write.
func (d *RoutingRecord) checkShape() error {
	s := shape{endpoints: len(d.Names)}
	s.list("endpoints", len(d.Endpoints))
	for i := range d.Prefixes {
		s.list("prefixes", len(d.Prefixes[i].Blocks))
	}
	for i := range d.InFlight {
		f := &d.InFlight[i]
		s.list("inFlight", len(f.Requests))
		s.someList("inFlight", len(f.Tokens))
		s.someList("inFlight", len(f.Uncached))
	}
	for i := range d.Predictions {
		s.list("predictions", len(d.Predictions[i].TTFTSeconds))
		s.list("predictions", len(d.Predictions[i].TPOTSeconds))
	}
	for i := range d.Profiles {
		s.profile(&d.Profiles[i])
	}
	s.endpoint("endpoint", d.Endpoint)
	s.endpoint("prefill", d.Prefill)
	return s.err
}

// shape keeps the first thing that does not fit.
type shape struct {
	endpoints int
	err       error
}

func (s *shape) list(field string, length int) { s.as(field, length, s.endpoints, "endpoints") }

// someList is list of one that may be missing.
func (s *shape) someList(field string, length int) {
	if length > 0 {
		s.list(field, length)
	}
}

func (s *shape) as(field string, length, want int, of string) {
	if s.err == nil && length != want {
		s.err = fmt.Errorf("%s has %d entries for %d %s", field, length, want, of)
	}
}

func (s *shape) endpoint(field string, number *int) {
	if s.err == nil && number != nil && (*number < 0 || *number >= s.endpoints) {
		s.err = fmt.Errorf("%s is %d, and there are %d endpoints", field, *number, s.endpoints)
	}
}

// profile looks at the lists by candidate only where a candidate was chosen: elsewhere they
// may be missing.
func (s *shape) profile(p *scheduler.ProfileRun) {
	s.endpoint("profiles.chosen", p.Chosen)
	if p.Chosen == nil {
		return
	}
	candidates := len(p.Candidates)
	if len(p.Scorers) > 0 || len(p.Scores) > 0 {
		s.as("profiles.scores", len(p.Scores), candidates, "candidates")
	}
	for i := range p.Scorers {
		r := &p.Scorers[i]
		for _, length := range []int{len(r.Raw), len(r.Clamped), len(r.Weighted)} {
			s.as("profiles.scorers", length, candidates, "candidates")
		}
	}
}
