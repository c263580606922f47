// SPDX-License-Identifier: Apache-2.0

// Package workloadtest has what tests of sources of requests share.
package workloadtest

import (
	"slices"
	"testing"
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// SessionTrace is a Mooncake trace of two sessions, of which one has turns that wait.
const SessionTrace = `{"timestamp": 1000, "session_id": "a", "input_length": 10, "output_length": 1, "hash_ids": [1]}
{"session_id": "a", "delay": 200, "input_length": 20, "output_length": 2, "hash_ids": [1]}
{"timestamp": 1500, "session_id": "b", "input_length": 11, "output_length": 1, "hash_ids": [2]}
{"timestamp": 2000, "session_id": "b", "input_length": 21, "output_length": 2, "hash_ids": [2]}
{"session_id": "a", "delay": 0, "input_length": 30, "output_length": 3, "hash_ids": [1]}
`

// Take returns up to n requests; n < 0 takes all.
func Take(s workload.Source, n int) []workload.Request {
	var all []workload.Request
	for ; n != 0; n-- {
		r, ok := s.Next()
		if !ok {
			break
		}
		all = append(all, r)
	}
	return all
}

// Serve answers requests of a source, n at most, each so long after its arrival as
// latency says, and returns them.
func Serve(source workload.Listener, n int, latency func(workload.Request) (time.Duration, workload.Ending)) []workload.Request {
	var requests []workload.Request
	var ends []workload.End
	for len(requests) < n {
		due, known := source.Due()
		if len(ends) > 0 && (!known || ends[0].At <= due) {
			source.Ended(ends[0])
			ends = ends[1:]
			continue
		}
		r, ok := source.Next()
		if !ok {
			break
		}
		requests = append(requests, r)
		d, how := latency(r)
		ends = append(ends, workload.End{ID: r.ID, At: r.Arrival.Add(d), Ending: how})
		slices.SortStableFunc(ends, func(a, b workload.End) int { return int(a.At - b.At) })
	}
	return requests
}

// Completed answers every request after a time.
func Completed(d time.Duration) func(workload.Request) (time.Duration, workload.Ending) {
	return func(workload.Request) (time.Duration, workload.Ending) { return d, workload.Completed }
}

// CheckOrder fails a test unless requests have what every source promises: IDs from 0,
// arrivals in order, a prompt and an answer.
func CheckOrder(t testing.TB, requests []workload.Request) {
	t.Helper()
	last := simtime.Time(0)
	for i, r := range requests {
		if r.ID != i || r.Arrival < last || r.Prompt.Tokens() < 1 || r.OutputTokens < 1 {
			t.Fatalf("request %d after one at %v: %+v", i, last, r)
		}
		last = r.Arrival
	}
}

// CommonPrefix counts the leading elements that a and b have in common.
func CommonPrefix(a, b []uint64) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}
