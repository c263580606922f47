// SPDX-License-Identifier: Apache-2.0

package native

import (
	"testing"

	"windtunnel.dev/windtunnel/pkg/policy"
)

// What scorers make of scrapes alone.
func TestScorersOfScrapes(t *testing.T) {
	loads := func(waiting, running [3]int) []policy.Scrape {
		var scrapes []policy.Scrape
		for i := range waiting {
			scrapes = append(scrapes, policy.Scrape{Waiting: waiting[i], Running: running[i]})
		}
		return scrapes
	}
	for name, tc := range map[string]struct {
		scorer     string
		parameters map[string]string
		scrapes    []policy.Scrape
		want       []float64
	}{
		"waiting requests, and not running ones": {"queue-depth", nil, loads([3]int{0, 2, 8}, [3]int{9, 0, 0}), []float64{1, 0.75, 0}},
		"as many wait everywhere":                {"queue-depth", nil, loads([3]int{3, 3, 3}, [3]int{9, 0, 0}), []float64{1, 1, 1}},
		"running requests":                       {"running-requests", nil, loads([3]int{9, 0, 0}, [3]int{1, 2, 3}), []float64{1, 0.5, 0}},
		"the early queue depth counts both":      {"load-seed", nil, loads([3]int{0, 2, 8}, [3]int{9, 0, 2}), []float64{1.0 / 8, 1, 0}},
		"one of as many":                         {"load-balance", nil, loads([3]int{0, 1, 2}, [3]int{0, 0, 1}), []float64{1, 0.5, 0.25}},
		"free blocks":                            {"kv-utilization", nil, []policy.Scrape{{KVUsage: 0.25}, {KVUsage: 1}, {}}, []float64{0.75, 0, 1}},
		"half at best":                           {"load-aware", nil, loads([3]int{0, 64, 200}, [3]int{}), []float64{0.5, 0.25, 0}},
		"another threshold":                      {"load-aware", map[string]string{"threshold": "4"}, loads([3]int{1, 2, 4}, [3]int{}), []float64{0.375, 0.25, 0}},
		"4 for each that waits":                  {"vllm-dp", nil, loads([3]int{1, 0, 0}, [3]int{0, 2, 4}), []float64{0, 1, 0}},
		"no request in flight":                   {"active-requests", nil, loads([3]int{1, 2, 3}, [3]int{}), []float64{1, 1, 1}},
		"no adapter asked for":                   {"lora-affinity", nil, loads([3]int{}, [3]int{}), []float64{1, 1, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			r := mustNew(t, scoring(tc.scorer, tc.parameters), len(tc.scrapes))
			same(t, tc.scorer, tc.want, scores(t, r, view(tc.scrapes...), request(0, text(1, 10))))
		})
	}
}

// Requests count from when they are sent to when their answers end.
func TestScorersOfRequestsInFlight(t *testing.T) {
	for name, tc := range map[string]struct {
		scorer     string
		parameters map[string]string
		want       []float64 // with 2 requests sent to endpoint 0 and 1 to endpoint 1, of which the scrape shows 1 on endpoint 0
	}{
		"active-requests":                  {"active-requests", nil, []float64{0, 0.5, 1}},
		"load-seed, what is on its way":    {"load-seed", nil, []float64{0, 0.5, 1}},
		"load-seed, all":                   {"load-seed", map[string]string{"load": "in-flight"}, []float64{0, 2.0 / 3, 1}},
		"load-balance, what is on its way": {"load-balance", nil, []float64{1.0 / 3, 1.0 / 2, 1}},
		"load-balance, all":                {"load-balance", map[string]string{"load": "in-flight"}, []float64{1.0 / 4, 1.0 / 2, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			r := mustNew(t, scoring(tc.scorer, tc.parameters), 3)
			for id, only := range []int{0, 0, 1, 2} {
				v := view(make([]policy.Scrape, 3)...)
				v.Down = []bool{only != 0, only != 1, only != 2}
				route(t, r, v, request(id, text(1, 10)))
			}
			r.Finished(request(3), 2)
			same(t, name, tc.want, scores(t, r, view(policy.Scrape{Running: 1}, policy.Scrape{}, policy.Scrape{}), request(4, text(1, 10))))
		})
	}
}

func TestLoRAAffinity(t *testing.T) {
	r := mustNew(t, scoring("lora-affinity", nil), 2)
	v := view(policy.Scrape{}, policy.Scrape{})
	v.Adapters = []policy.Adapters{{Active: []int32{7}}, {Active: []int32{3, 8}}}
	q := request(0, text(1, 10))
	q.Adapter = 8
	same(t, "one has it", []float64{0, 1}, scores(t, r, v, q))
	q.Adapter = 9
	same(t, "none has it", []float64{1, 1}, scores(t, r, v, q))
}
