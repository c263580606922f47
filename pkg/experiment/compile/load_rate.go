// SPDX-License-Identifier: Apache-2.0

package compile

import (
	"slices"
	"strings"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/setup"
	"windtunnel.dev/windtunnel/pkg/workload"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// loadRate is how many requests a second a load of 1 is, where a search looks for the load
// that candidates bear: 1 for a rate, and the recorded rate for the factor of a trace. It
// is 0 for other loads, such as users, and where the trace is not here.
func (c *compiler) loadRate(in *v1alpha1.Scenario, search *v1alpha1.Search) float64 {
	if search.Capacity == nil {
		return 0
	}
	at := slices.IndexFunc(c.plan.Parameters, func(p experiment.Parameter) bool { return p.Name == search.Capacity.Load })
	if at < 0 {
		return 0
	}
	path := c.plan.Parameters[at].Path
	if strings.HasSuffix(path, ".arrivals.rate") {
		return 1
	}
	for _, t := range setup.Traces(&in.Workload, nil) {
		of := "workload.trace"
		if t.Name != "" {
			of = "workload.traces[" + t.Name + "]"
		}
		if recorded := c.traces[t.Name]; recorded != nil && path == of+".rateScale" {
			return recordedRate(recorded, &t, in.Horizon.Requests)
		}
	}
	return 0
}

// mostCounted bounds the requests that give the rate of a trace.
const mostCounted = 1_000_000

// recordedRate is the rate of those requests of a trace that a run replays, a second.
func recordedRate(recorded *trace.Trace, in *setup.Trace, horizon *int64) float64 {
	source := workload.AnsweredAtOnce(recorded.Replay(trace.Replay{RateScale: 1, Arrivals: trace.Arrivals(in.Arrivals)}, 1))
	most := mostCounted
	if horizon != nil {
		most = int(min(*horizon, mostCounted))
	}
	n, last := 0, 0.0
	for n < most {
		r, ok := source.Next()
		if !ok {
			break
		}
		n, last = n+1, r.Arrival.Seconds()
	}
	if workload.Close(source) != nil || last <= 0 {
		return 0
	}
	return float64(n) / last
}
