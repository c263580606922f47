// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"fmt"
	"math"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// A lengthLimit is the most tokens, prompt plus answer, that a pool serves in one
// request, and the field that decides it.
type lengthLimit struct {
	pool        string
	tokens      int
	description string
	path        *field.Path
}

// lengthNotes name what sends requests that a pool is going to reject for their
// length. They are no fault: the same happens in production, and results count
// them.
func lengthNotes(in *v1alpha1.Scenario, config *simulator.Config, traces trace.Set, path *field.Path) []string {
	var notes []string
	for i := range config.Pools {
		if !decodes(&in.Pools[i]) {
			continue // its replicas get prompts alone
		}
		limit := limitOf(&in.Pools[i], &config.Pools[i], path.Child("pools").Index(i))
		if limit.tokens == 0 {
			continue
		}
		for _, t := range Traces(&in.Workload, path.Child("workload")) {
			notes = append(notes, limit.traceNotes(t, traces[t.Name], config.Horizon)...)
		}
		notes = append(notes, limit.clientNotes(in.Workload.Clients, path.Child("workload", "clients"))...)
	}
	return notes
}

// limitOf returns what is least of the model's context, engine.maxModelLen and
// the KV blocks of a replica. The last token of an answer needs no KV.
func limitOf(in *v1alpha1.Pool, pool *simulator.Pool, path *field.Path) lengthLimit {
	limit := lengthLimit{
		pool: in.Name, tokens: pool.MaxModelLen, description: "the model's context", path: path.Child("model"),
	}
	if in.Engine.MaxModelLen != nil {
		limit.description, limit.path = "maxModelLen", path.Child("engine", "maxModelLen")
	}
	if held := pool.KVTokens() + 1; limit.tokens == 0 || held < limit.tokens {
		limit.tokens, limit.description, limit.path = held, "the capacity of all KV blocks of a replica", path.Child("kvCache")
	}
	return limit
}

// String names the limit, as in more tokens than the 8192 that pool a serves.
func (l lengthLimit) String() string {
	return fmt.Sprintf("the %d that pool %s serves (%s: %s)", l.tokens, l.pool, l.path, l.description)
}

// traceNotes count the requests of a trace that are longer, among those that arrive before the
// horizon.
func (l lengthLimit) traceNotes(in Trace, recorded *trace.Trace, horizon simulator.Horizon) []string {
	if recorded == nil || recorded.Requests() == 0 {
		return nil
	}
	until := simtime.Time(math.MaxInt64)
	if horizon.Duration > 0 {
		until = simtime.Time(horizon.Duration)
	}
	longer, of, err := recorded.Longer(l.tokens, trace.Replay{RateScale: in.RateScale.Float(), MaxRequests: horizon.Requests}, until)
	switch {
	case err != nil:
		return []string{fmt.Sprintf("%s: how many requests have more tokens than %v is not known: %v", in.Path, l, err)}
	case longer == 0:
		return nil
	}
	return []string{fmt.Sprintf("%s: %d of %d requests have more tokens, prompt and answer together, than %v: they are rejected", in.Path, longer, of, l)}
}

// clientNotes name the clients whose lengths may add up to more. What sessions
// accumulate is not known before.
func (l lengthLimit) clientNotes(clients []v1alpha1.Client, path *field.Path) []string {
	var notes []string
	for i := range clients {
		c := &clients[i]
		longest := longestClientPrompt(c) + longestClientAnswer(c)
		if longest > l.tokens {
			notes = append(notes, fmt.Sprintf("%s: requests have up to %d tokens, prompt and answer together, more than %v: longer requests are rejected",
				path.Index(i), longest, l))
		}
	}
	return notes
}
