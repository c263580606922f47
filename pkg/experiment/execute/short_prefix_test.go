// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// Hybrid models have KV blocks of hundreds of tokens, in which a short system prompt fills none.
func TestAPrefixBelowABlockOfAllPools(t *testing.T) {
	shares := func(tokens int32) v1alpha1.Client { return v1alpha1.Client{Prefix: &v1alpha1.Prefix{Tokens: tokens}} }
	for name, test := range map[string]struct {
		clients []v1alpha1.Client
		blocks  []int
		want    *result.ShortPrefix
	}{
		"the longest is too short":      {[]v1alpha1.Client{shares(100), shares(240), {}}, []int{784}, &result.ShortPrefix{Tokens: 240, BlockTokens: 784}},
		"a pool has smaller blocks":     {[]v1alpha1.Client{shares(240)}, []int{784, 16}, nil},
		"a whole block":                 {[]v1alpha1.Client{shares(16)}, []int{16}, nil},
		"nothing is shared":             {[]v1alpha1.Client{{}}, []int{16}, nil},
		"turns share what came before":  {[]v1alpha1.Client{shares(10), {Sessions: &v1alpha1.Sessions{}}}, []int{16}, nil},
		"prompts are the same":          {[]v1alpha1.Client{{Prompts: &v1alpha1.Prompts{}, Prefix: &v1alpha1.Prefix{Tokens: 10}}}, []int{16}, nil},
		"examples have their own sizes": {[]v1alpha1.Client{{Prefix: &v1alpha1.Prefix{Tokens: 10, Examples: &v1alpha1.Examples{}}}}, []int{16}, nil},
	} {
		c := &simulator.Config{}
		for _, tokens := range test.blocks {
			c.Pools = append(c.Pools, simulator.Pool{BlockTokens: tokens})
		}
		if diff := cmp.Diff(test.want, shortPrefix(&v1alpha1.Workload{Clients: test.clients}, c)); diff != "" {
			t.Errorf("%s (−want +got):\n%s", name, diff)
		}
	}
}
