// SPDX-License-Identifier: Apache-2.0

package execute_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
	"windtunnel.dev/windtunnel/pkg/manifest"
	"windtunnel.dev/windtunnel/pkg/result"
)

const boundedIndex = `
apiVersion: llm-d.ai/v1alpha1
kind: EndpointPickerConfig
plugins:
- type: queue-scorer
- type: approx-prefix-cache-producer
  parameters: {autoTune: false, blockSizeTokens: 64, lruCapacityPerServer: %d}
- type: prefix-cache-scorer
`

// Each prompt has the 1024 tokens of a prefix, or 16 blocks of 64, and some 300 of its own, or 4 to 5
// blocks. 40 of them fill an index of 20 blocks for each of two replicas, or 1280 tokens, and none of
// 10,000 blocks. Of 1000 blocks of 16 tokens the engine keeps one for itself.
func TestFullIndexes(t *testing.T) {
	for name, tc := range map[string]struct {
		capacity, blocks int
		edit             func(*v1alpha1.Scenario)
		want             []result.FullIndex
	}{
		"an index smaller than caches": {20, 1000, nil, []result.FullIndex{{Name: "llama", Replicas: 2, Full: 2, Tokens: 1280, CacheTokens: 15984}}},
		"one smaller than host memory": {
			20, 200, func(s *v1alpha1.Scenario) {
				s.Pools[0].KVCache.Tiers = []v1alpha1.Tier{{Kind: v1alpha1.CPUTier, Blocks: new(int32(800))}}
			}, []result.FullIndex{{Name: "llama", Replicas: 2, Full: 2, Tokens: 1280, CacheTokens: 15984}},
		},
		"several EPPs": {20, 1000, func(s *v1alpha1.Scenario) { s.Router.Replicas = 2 }, []result.FullIndex{{Name: "llama", Replicas: 2, Full: 2, Tokens: 1280, CacheTokens: 15984}}},
		"an admission before the EPP": {
			20, 1000, func(s *v1alpha1.Scenario) { s.Router.Admission = &v1alpha1.GatewayPolicy{Policy: "always"} },
			[]result.FullIndex{{Name: "llama", Replicas: 2, Full: 2, Tokens: 1280, CacheTokens: 15984}},
		},
		"two models": {
			20, 1000, experimenttest.ServeTwoModels,
			[]result.FullIndex{{Name: "llama", Replicas: 2, Full: 2, Tokens: 1280, CacheTokens: 15984}, {Name: "large", Replicas: 2, Full: 2, Tokens: 1280, CacheTokens: 15984}},
		},
		"a larger index":                 {10000, 1000, nil, nil},
		"caches that are small":          {20, 70, nil, nil},
		"engines without prefix caching": {20, 1000, func(s *v1alpha1.Scenario) { s.Pools[0].Engine.PrefixCaching = v1alpha1.Disabled }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			run := experimenttest.Run(t)
			s := &run.Spec.Scenario
			s.Router.EndpointPickerConfig.Inline = new(fmt.Sprintf(boundedIndex, tc.capacity))
			if tc.edit != nil {
				tc.edit(s)
			}
			for i := range s.Pools {
				s.Pools[i].KVCache.Blocks = new(int32(tc.blocks))
			}
			manifest.Default(run)
			c := experimenttest.MustCompileRun(t, run)
			d := experimenttest.MustSimulate(t, c, experimenttest.AllSimulations(t, c.Plan))[0].Document
			if diff := cmp.Diff(tc.want, d.Traffic.FullIndexes); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
