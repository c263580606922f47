// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"testing"

	"windtunnel.dev/windtunnel/pkg/policy"
)

// meanLoad is a detector: the mean of the endpoints' requests, of 10 each.
type meanLoad []int64

func (m meanLoad) saturation(c *cycle) float64 {
	sum, n := int64(0), 0
	for e, load := range m {
		if !c.gone(e) {
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
				all[i] = map[string]string{roleLabel: role}
			}
		}
		return all
	}
	for name, tc := range map[string]struct {
		of     release
		labels []map[string]string
		load   []int64
		down   []bool
		want   float64
	}{
		"no labels":                            {routerMain, nil, []int64{8, 2}, nil, 0.5},
		"two pools":                            {routerMain, labels("prefill", "decode"), []int64{8, 2}, nil, 0.8},
		"one pool before":                      {router10, labels("prefill", "decode"), []int64{8, 2}, nil, 0.5},
		"no label decodes":                     {routerMain, labels("prefill", ""), []int64{2, 8}, nil, 0.8},
		"both are in both":                     {routerMain, labels("prefill", "both", "decode"), []int64{9, 5, 1}, nil, 0.7},
		"who encodes, or what not, is in none": {routerMain, labels("decode", "encode", "x"), []int64{3, 9, 9}, nil, 0.3},
		"who is gone is in none":               {routerMain, labels("prefill", "prefill", "decode"), []int64{9, 1, 2}, []bool{true, false, false}, 0.2},
		"nobody in any pool: all":              {routerMain, labels("encode", "encode"), []int64{4, 8}, nil, 0.6},
	} {
		t.Run(name, func(t *testing.T) {
			b := &builder{Cluster: Cluster{Endpoints: len(tc.load), Labels: tc.labels}}
			s := newPoolSaturation(b, meanLoad(tc.load), tc.of)
			c := &cycle{there: len(tc.load), scrapes: make([]policy.Scrape, len(tc.load))}
			if tc.down != nil {
				c.lose(tc.down)
			}
			if got := s.saturation(c); got != tc.want {
				t.Errorf("saturation %v, want %v", got, tc.want)
			}
		})
	}
}
