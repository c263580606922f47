// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
)

func TestLoRAAffinityScorer(t *testing.T) {
	adapters := []policy.Adapters{
		{Active: []int32{7, 1}, Max: 2},
		{Active: []int32{7}, Max: 2},
		{Active: []int32{7, 8}, Waiting: []int32{1}, Max: 2},
		{Active: []int32{7, 8}, Max: 2},
		{},
		{Active: []int32{7}, Waiting: []int32{8}, Max: 2}, // the one that waits counts
	}
	cases := map[string]struct {
		adapters []policy.Adapters
		wanted   int32
		want     []float64
	}{
		"an adapter":     {adapters, 1, []float64{1, 0.8, 0.6, 0, 0, 0}},
		"the base model": {adapters, 0, []float64{0, 0.8, 0, 0, 0, 0}},
		"no adapters":    {nil, 1, []float64{0, 0, 0, 0, 0, 0}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := New(mustLoad(t, "plugins: [{type: lora-affinity-scorer}]"), config.Cluster{Endpoints: 6}, 1)
			view, r := idle(6), request(0, 1)
			view.Adapters, r.Adapter = tc.adapters, tc.wanted
			route(t, s, view, r)
			if diff := cmp.Diff(tc.want, s.LastResult().Scores); diff != "" {
				t.Errorf("scores (-want +got):\n%s", diff)
			}
		})
	}
}
