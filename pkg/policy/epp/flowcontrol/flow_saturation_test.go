// SPDX-License-Identifier: Apache-2.0

package flowcontrol

import (
	"testing"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// meanLoad is a detector: the mean of the endpoints' requests, of 10 each.
type meanLoad []int64

func (m meanLoad) Saturation(c *scheduler.Cycle) float64 {
	sum, n := int64(0), 0
	for e, load := range m {
		if !c.Gone(e) {
			sum, n = sum+load, n+1
		}
	}
	return float64(sum) / float64(10*n)
}

// The fuller one of the pools that prefill and decode says whether requests wait;
// up to v0.10 it is all endpoints together.
func TestSaturationOfPools(t *testing.T) {
	labels := func(roles ...string) []map[string]string {
		all := make([]map[string]string, len(roles))
		for i, role := range roles {
			if role != "" {
				all[i] = map[string]string{config.RoleLabel: role}
			}
		}
		return all
	}
	for name, tc := range map[string]struct {
		of     version.Release
		labels []map[string]string
		load   []int64
		down   []bool
		want   float64
	}{
		"no labels":                            {version.RouterMain, nil, []int64{8, 2}, nil, 0.5},
		"two pools":                            {version.RouterMain, labels("prefill", "decode"), []int64{8, 2}, nil, 0.8},
		"one pool before":                      {version.Router10, labels("prefill", "decode"), []int64{8, 2}, nil, 0.5},
		"no label decodes":                     {version.RouterMain, labels("prefill", ""), []int64{2, 8}, nil, 0.8},
		"both are in both":                     {version.RouterMain, labels("prefill", "both", "decode"), []int64{9, 5, 1}, nil, 0.7},
		"who encodes, or what not, is in none": {version.RouterMain, labels("decode", "encode", "x"), []int64{3, 9, 9}, nil, 0.3},
		"who is gone is in none":               {version.RouterMain, labels("prefill", "prefill", "decode"), []int64{9, 1, 2}, []bool{true, false, false}, 0.2},
		"nobody in any pool: all":              {version.RouterMain, labels("encode", "encode"), []int64{4, 8}, nil, 0.6},
	} {
		t.Run(name, func(t *testing.T) {
			b := &scheduler.Builder{Cluster: config.Cluster{Endpoints: len(tc.load), Labels: tc.labels}}
			s := newPoolSaturation(b, meanLoad(tc.load), tc.of)
			c := &scheduler.Cycle{Present: len(tc.load), Scrapes: make([]policy.Scrape, len(tc.load))}
			if tc.down != nil {
				c.Exclude(tc.down)
			}
			if got := s.Saturation(c); got != tc.want {
				t.Errorf("saturation %v, want %v", got, tc.want)
			}
		})
	}
}

// Where all endpoints are in one pool, a look takes no memory.
func TestSaturationOfOnePoolAllocatesNothing(t *testing.T) {
	s, c := poolSaturation{detector: meanLoad{4, 6}, stage: scheduler.DecodeStage}, &scheduler.Cycle{Present: 2}
	if n := testing.AllocsPerRun(100, func() { s.pools(c) }); n > 0 {
		t.Errorf("%v allocations, want none", n)
	}
}
