// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// FirstRejected stands for the first request that is rejected, in place of a
// request's number.
const FirstRejected = -1

// ErrNoSuchRequest says that a simulation has no such request to explain.
var ErrNoSuchRequest = errors.New("no such request")

// A RequestStory is how one request fared in one simulation.
type RequestStory struct {
	// Decisions are one, or several where replicas failed that had it.
	Decisions []*RoutingRecord `json:"decisions"`
	// Outcome is what became of it in the end.
	Outcome RequestResult `json:"outcome"`
}

// RequestResult is how a request ended. Times are at the gateway.
type RequestResult struct {
	// Ended is completed, rejected, failed (its replica did, and no other was
	// found), evicted, timed out (the client gave it up) or unfinished.
	Ended string `json:"ended"`
	// Reason is why it was rejected, or evicted, as results say it.
	Reason string `json:"reason,omitempty"`
	// By is the policy or the plugin that turned it away, or the filter that left no
	// endpoint; "" where none did.
	By string `json:"by,omitempty"`
	// The rest is of completed requests.
	TTFTSeconds  float64 `json:"ttftSeconds,omitempty"`
	E2ESeconds   float64 `json:"e2eSeconds,omitempty"`
	CachedTokens int     `json:"cachedTokens,omitempty"`
	OutputTokens int     `json:"outputTokens,omitempty"`
}

// Explain simulates a run's scenario under a seed, which need not be one of the
// plan's, and tells the story of the request of that number, counted from 0 in
// order of arrival. An error that wraps ErrNoSuchRequest says that there is none.
func Explain(ctx context.Context, p *experiment.Plan, traces trace.Set, seed int64, request int, check bool) (*RequestStory, error) {
	story := &RequestStory{}
	arrived, evicted := 0, -1
	_, err := simulateOne(ctx, p, traces, experiment.Case{Trial: &experiment.Trial{Share: 1}, Seed: seed}, nil, observers{
		check: check,
		decisionsOf: func(id int) bool {
			arrived = max(arrived, id+1)
			return request == FirstRejected || id == request
		},
		decided: func(d *RoutingRecord) {
			if request == FirstRejected && d.TurnedAway() {
				request = d.Request.ID
			}
			if d.Request.ID == request {
				story.Decisions = append(story.Decisions, d)
			}
		},
		completed: func(c simulator.Completion) {
			if c.ID == request {
				story.Outcome.complete(c)
			}
		},
		ended: func(e simulator.RequestEnd) {
			if e.ID == request && e.Ended == timedOut {
				story.Outcome.Ended = timedOut
			}
		},
		evicted: func(id int) {
			if evicted < 0 {
				evicted = id
			}
			if id == request {
				story.Outcome.Ended, story.Outcome.Reason = "evicted", simulator.Evicted.String()
			}
		},
	})
	switch {
	case err != nil:
		return nil, err
	case len(story.Decisions) == 0 && request == FirstRejected && evicted >= 0:
		return nil, fmt.Errorf("%w: of the %d under seed %d the router rejected none; the first evicted one is %d", ErrNoSuchRequest, arrived, seed, evicted)
	case len(story.Decisions) == 0 && request == FirstRejected:
		return nil, fmt.Errorf("%w: of the %d under seed %d none was rejected", ErrNoSuchRequest, arrived, seed)
	case len(story.Decisions) == 0:
		return nil, fmt.Errorf("%w: %d is not among the %d routed requests of seed %d, which have numbers from 0", ErrNoSuchRequest, request, arrived, seed)
	}
	if story.Outcome.Ended == "" {
		story.Outcome = story.ended()
	}
	return story, nil
}

// timedOut is the end of a request that its client gave up.
const timedOut = "timed out"

// ended says how a request ended that neither completed, nor was evicted, nor timed out.
func (s *RequestStory) ended() RequestResult {
	before, last := s.Decisions[:len(s.Decisions)-1], s.Decisions[len(s.Decisions)-1]
	switch {
	case !last.TurnedAway():
		return RequestResult{Ended: "unfinished"}
	case last.Rejected != "":
		return RequestResult{Ended: "rejected", Reason: last.Rejected, By: last.turnedAwayBy()}
	case slices.ContainsFunc(before, func(d *RoutingRecord) bool { return d.Endpoint != nil }):
		return RequestResult{Ended: "failed", By: last.turnedAwayBy()}
	default:
		return RequestResult{Ended: "rejected", By: last.turnedAwayBy()}
	}
}

// turnedAwayBy names the policy or the plugin for which the router sent the request nowhere; ""
// where that was none.
func (d *RoutingRecord) turnedAwayBy() string {
	if by := d.rejectedBefore(); by != "" {
		return by
	}
	if by := d.Admission.RefusedBy; by != nil {
		return by.Name
	}
	for i := range d.Profiles {
		p := &d.Profiles[i]
		if n := len(p.Filters); n > 0 && p.Chosen == nil && len(p.Candidates) == 0 && d.Endpoint == nil {
			return p.Filters[n-1].Name
		}
	}
	return ""
}

func (o *RequestResult) complete(c simulator.Completion) {
	*o = RequestResult{
		Ended:        "completed",
		TTFTSeconds:  c.FirstToken.Sub(c.Arrival).Seconds(),
		E2ESeconds:   c.LastToken.Sub(c.Arrival).Seconds(),
		CachedTokens: c.CachedTokens,
		OutputTokens: c.OutputTokens,
	}
}
