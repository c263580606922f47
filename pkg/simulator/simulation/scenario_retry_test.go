// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"fmt"
	"slices"
	"strconv"

	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// retry reads when all clients of a script send a request again.
func (l line) retry() *workload.Retry {
	r := &workload.Retry{
		Max: l.number("max"), Backoff: l.duration("backoff"), Multiplier: 1,
		After: []workload.Ending{workload.Rejected, workload.TimedOut, workload.Failed},
	}
	if text := l.values["jitter"]; text != "" {
		jitter, err := strconv.ParseFloat(text, 64)
		if err != nil {
			l.t.Fatalf("line %d: %v", l.row, err)
		}
		r.Jitter = jitter
	}
	if errs := r.Validate(nil); len(errs) > 0 {
		l.t.Fatalf("line %d: %v", l.row, errs.ToAggregate())
	}
	return r
}

// send gives a run the requests of the script, with time-outs and retries.
func (c *scenario) send(config *simulator.Config, rec *recorder) {
	from := script{requests: slices.Clone(c.requests)}
	for i := range from.requests {
		from.requests[i].FirstTokenTimeout, from.requests[i].Timeout = c.patience.first, c.patience.total
	}
	if c.retry == nil {
		config.Source = &from
		return
	}
	if len(c.router.revocations) > 0 {
		c.t.Fatal("a script with retries has no revocations")
	}
	retrying := workload.WithRetries(newClosedLoop(from, len(from.requests), 0), func(int) *workload.Retry { return c.retry }, 1)
	rec.names = nil
	named := &namedAttempts{Listener: retrying, rec: rec, names: c.names}
	config.Source, config.Listener = named, named
}

// namedAttempts tells a recorder the names of requests: those of a script for first
// attempts, and for the second retry of a request a.2.
type namedAttempts struct {
	workload.Listener
	rec   *recorder
	names []string
}

// Next implements [workload.Source].
func (n *namedAttempts) Next() (workload.Request, bool) {
	r, ok := n.Listener.Next()
	if !ok {
		return r, false
	}
	var name string
	if r.Attempt == 0 {
		name, n.names = n.names[0], n.names[1:]
	} else {
		name = fmt.Sprint(n.rec.names[r.First], ".", r.Attempt)
	}
	n.rec.name(name)
	return r, true
}
