// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
)

func TestUtilizationFilter(t *testing.T) {
	view := &policy.View{Scrapes: []policy.Scrape{
		{Waiting: 5, Running: 1, KVUsage: 0.8}, {Waiting: 6, Running: 1}, {Running: 9, KVUsage: 0.9}, {Running: 10},
	}}
	cases := map[string]struct {
		parameters string
		want       []int
	}{
		"waiting":            {"{conditions: [{metric: waiting-queue, maxValue: 5}]}", []int{0, 2, 3}},
		"running":            {"{conditions: [{metric: running-requests, maxValue: 9}]}", []int{0, 1, 2}},
		"memory":             {"{conditions: [{metric: kv-cache-utilization, maxValue: 0.8}]}", []int{0, 1, 3}},
		"the EPP's count":    {"{conditions: [{metric: active-requests, maxValue: 1.5}]}", []int{0, 1}},
		"all at once":        {"{conditions: [{metric: waiting-queue, maxValue: 5}, {metric: kv-cache-utilization, maxValue: 0.8}]}", []int{0, 3}},
		"none":               {"{conditions: [{metric: running-requests, maxValue: 0}]}", []int{}},
		"all if none is fit": {"{conditions: [{metric: running-requests, maxValue: 0}], fallbackOnEmpty: true}", []int{0, 1, 2, 3}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := plant(t, "plugins: [{type: utilization-filter, parameters: "+tc.parameters+"}]", unlabelled(4)...)
			copy(s.Load(config.InFlightLoadProducerType).Requests, []int64{0, 1, 2, 3})
			if diff := cmp.Diff(tc.want, s.Decide(view, request(0, 1)).Candidates); diff != "" {
				t.Errorf("candidates (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParametersOfUtilizationFilter(t *testing.T) {
	checkParameterFaults(t, "utilization-filter", "{}", `conditions: Required value: there must be at least one`)
	checkParameterFaults(t, "utilization-filter", "{conditions: [{metric: x}, {metric: waiting-queue, maxValue: -1}, {metric: kv-cache-utilization, maxValue: 80}]}",
		`conditions[0].metric: Unsupported value: "x": supported values: "active-requests", "kv-cache-utilization", "running-requests", "waiting-queue"`,
		`conditions[0].maxValue: Required value: a condition must have a limit`,
		`conditions[1].maxValue: Invalid value: -1: must not be negative`,
		`conditions[2].maxValue: Invalid value: 80: is a fraction and must be at most 1`)
}

func TestUtilizationFilterCountsOnlyWhereItMust(t *testing.T) {
	for metric, want := range map[string]bool{"waiting-queue": false, "active-requests": true} {
		s := New(mustLoad(t, "plugins: [{type: utilization-filter, parameters: {conditions: [{metric: "+metric+", maxValue: 1}]}}]"), config.Cluster{Endpoints: 1}, 1)
		if got := s.Routing().Responses != nil; got != want {
			t.Errorf("%s: counts: %t, want %t", metric, got, want)
		}
	}
}
