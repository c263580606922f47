// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"testing"

	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

func TestMakespanOfAFewRequests(t *testing.T) {
	one := Demand{PromptTokens: 100, ComputedTokens: 100, OutputTokens: 11}
	late := one
	late.Arrival = 5000
	for name, tc := range map[string]struct {
		demands []Demand
		engines Engines
		want    simtime.Time
	}{
		"a step for each token": {
			[]Demand{one}, Engines{1, 8, 1000, []latency.Floor{{Step: 10}}}, 110,
		},
		"work of several replicas": {
			[]Demand{one, one, one, one}, Engines{2, 8, 1000, []latency.Floor{{Token: 1}}}, 220,
		},
		"sequences that share steps": {
			[]Demand{one, one, one, one}, Engines{1, 2, 1000, []latency.Floor{{Step: 10}}}, 220,
		},
		"tokens that share steps": {
			[]Demand{one, one}, Engines{1, 100, 10, []latency.Floor{{Step: 10}}}, 220,
		},
		"a late arrival": {
			[]Demand{one, late}, Engines{1, 8, 1000, []latency.Floor{{Step: 10}}}, 5110,
		},
		"each token reads those before it": {
			[]Demand{one}, Engines{1, 8, 1000, []latency.Floor{{Context: 1}}}, 10*100 + 55 + 100,
		},
		"the greatest floor": {
			[]Demand{one}, Engines{1, 8, 1000, []latency.Floor{{Step: 10}, {Step: 20}, {Sample: 3}}}, 220,
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Makespan(tc.demands, tc.engines); got != tc.want {
				t.Errorf("%d, want %d", got, tc.want)
			}
		})
	}
}
