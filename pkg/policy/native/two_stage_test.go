// SPDX-License-Identifier: Apache-2.0

package native

import (
	"testing"

	"windtunnel.dev/windtunnel/pkg/policy"
)

func TestTwoStage(t *testing.T) {
	calm, queued, full := policy.Scrape{Waiting: 5, KVUsage: 0.8}, policy.Scrape{Waiting: 6}, policy.Scrape{KVUsage: 0.81}
	for name, tc := range map[string]struct {
		scrapes    []policy.Scrape
		parameters map[string]string
		want       int
	}{
		"the longest match, at the thresholds":       {[]policy.Scrape{calm, calm, calm}, nil, 2},
		"not where the queue is too long":            {[]policy.Scrape{calm, calm, queued}, nil, 1},
		"not where the cache is too full":            {[]policy.Scrape{calm, calm, full}, nil, 1},
		"of those with as much, the least loaded":    {[]policy.Scrape{calm, queued, queued}, nil, 0},
		"the shortest queue, where all are too busy": {[]policy.Scrape{{Waiting: 8}, {Waiting: 7}, {Waiting: 9}}, nil, 1},
		"with other thresholds":                      {[]policy.Scrape{calm, calm, queued}, map[string]string{"queueThreshold": "6", "kvThreshold": "1"}, 2},
		"with none that passes":                      {[]policy.Scrape{{Waiting: 2}, {Waiting: 1}, {Waiting: 3}}, map[string]string{"queueThreshold": "0"}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			r := mustNew(t, Spec{Policy: "two-stage", TieBreak: tieFirst, Parameters: tc.parameters}, 3)
			route(t, r, only(1, 3), request(0, text(1, 32)))
			route(t, r, only(2, 3), request(1, text(1, 48)))
			same(t, name, tc.want, route(t, r, view(tc.scrapes...), request(2, text(1, 64))))
		})
	}
}

// A prompt that nobody knows goes to the least loaded endpoint, by the router's own count or
// the last queue.
func TestTwoStageWithoutAMatch(t *testing.T) {
	for load, want := range map[string][]int{"own-count": {0, 1, 0, 1}, "queue": {1, 1, 1, 1}} {
		r := mustNew(t, Spec{Policy: "two-stage", TieBreak: tieFirst, Parameters: map[string]string{"load": load}}, 2)
		var got []int
		for id := range 4 {
			got = append(got, route(t, r, view(policy.Scrape{Waiting: 1}, policy.Scrape{}), request(id, text(uint64(id), 64))))
		}
		same(t, load, want, got)
	}
}
