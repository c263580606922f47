// SPDX-License-Identifier: Apache-2.0

package profile

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// microsecond is the unit of times in workloads of inference-sim, in s.
const microsecond = 1e-6

// maxMicroseconds is the longest time.
const maxMicroseconds = maxYear / microsecond

// blis takes over a workload of inference-sim. Its traffic has one source: clients and
// cohorts, a description of inference-perf, or a folder of ServeGen.
func (c *converter) blis(in *object) {
	in.ignore("seed")
	in.word("version", "", "2")
	in.demand("only version 2 is known", "version")
	in.word("category", "", "language", "multimodal", "reasoning")
	if n := in.whole("num_requests", 0, 0, 1e9); n > 0 {
		c.endsAfter(n)
	}
	if us := in.number("horizon", 0, 0, maxMicroseconds); us > 0 {
		c.traffic.Horizon.Duration = spanPositive(us * microsecond)
	}
	goals := c.blisGoals(in.child("goodput_slo_targets"))
	switch {
	case in.has("inference_perf"):
		in.refuse("cannot be carried together with inference_perf, whose stages have the rate of all requests", "aggregate_rate", "clients", "cohorts", "servegen_data")
		if of := in.child("inference_perf"); of != nil {
			c.blisInferencePerf(of)
		}
	case in.has("servegen_data"):
		in.refuse("cannot be carried together with servegen_data, whose clients have rates of their own", "aggregate_rate", "clients", "cohorts")
		if of := in.child("servegen_data"); of != nil {
			c.blisServeGen(of)
		}
	default:
		in.ignore("inference_perf", "servegen_data")
		c.blisTraffic(in, goals)
	}
	if c.traffic.Horizon.Requests == nil && c.traffic.Horizon.Duration == "" {
		c.fault(field.Required(in.at("horizon"), "state horizon or num_requests: without them the workload has no end"))
	}
	c.blisSLOs(goals)
}

// blisTraffic takes over clients and cohorts.
func (c *converter) blisTraffic(in *object, goals blisGoals) {
	total := in.number("aggregate_rate", 0, 0, maxRate)
	sources := c.blisSources(in)
	c.blisArrivals(sources, total)
	c.blisTargets(sources, goals)
	c.checkMembers(sources)
	for _, s := range sources {
		s.in.done()
		c.traffic.Workload.Clients = append(c.traffic.Workload.Clients, s.client)
	}
	if len(sources) == 0 {
		in.demand("state clients or cohorts", "clients")
	}
	c.note("inference-sim gives SLO classes priorities; here they are labels: state client.priority")
}

// blisSource is a client, or a cohort of similar ones.
type blisSource struct {
	in     *object
	client v1alpha1.Client
	// share is the part of the rate of all requests, of all members of a cohort together.
	share float64
	// windows are the times in which it sends requests; without any, it always does.
	windows []blisWindow
	// target bounds the time to first token, in s; 0 is no target.
	target float64
}

// isCohort reports whether the source has members.
func (s *blisSource) isCohort() bool { return s.client.Copies != nil }

// members is the number of clients.
func (s *blisSource) members() int {
	if s.isCohort() {
		return int(s.client.Copies.Count)
	}
	return 1
}

// blisSources reads clients and cohorts.
func (c *converter) blisSources(in *object) []*blisSource {
	var all []*blisSource
	for _, s := range in.children("clients") {
		source := &blisSource{in: s}
		c.blisClient(source)
		c.blisUsers(source)
		c.blisLifecycle(source)
		all = append(all, source)
	}
	for _, s := range in.children("cohorts") {
		source := &blisSource{in: s}
		c.blisCohort(source)
		all = append(all, source)
	}
	return all
}

// checkMembers says which source has more clients than are left for it.
func (c *converter) checkMembers(sources []*blisSource) {
	all, own := 0, 0
	for _, s := range sources {
		all += s.members()
		if s.client.Copies == nil || s.client.Copies.Arrivals != v1alpha1.RandomArrivals {
			own += s.members()
		}
		at := s.in.path
		if s.isCohort() {
			at = s.in.at("population")
		}
		switch {
		case all > maxMembers:
			c.fault(field.Invalid(at, s.members(), fmt.Sprintf("a workload has at most %d clients, members of cohorts included", maxMembers)))
			return
		case own > maxOwnArrivals:
			c.fault(field.Invalid(at, s.members(), fmt.Sprintf(
				"at most %d clients have an arrival process of their own, members of cohorts included; those of a cohort with process poisson need none", maxOwnArrivals)))
			return
		}
	}
}
