// SPDX-License-Identifier: Apache-2.0

package live

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/live/vllm"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// rewrites is a route whose rewrites give adapters.
type rewrites []string

func (rewrites) Of(*workload.Request) (router, adapter int) { return 0, 0 }
func (r rewrites) Adapters() []string                       { return r }

// TestServersHaveTheAdaptersOfRewrites has a pool with places for adapters and one without.
func TestServersHaveTheAdaptersOfRewrites(t *testing.T) {
	of := pools{
		config: simulator.Config{
			Route: rewrites{"named", "rewritten"},
			Pools: []simulator.Pool{{Adapters: &simulator.AdapterPlaces{Max: 1}}, {}},
		},
		scenario: []v1alpha1.Pool{{Model: "llama"}, {Model: "llama"}},
	}
	servers := (&engineOptions{}).servers(of, []vllm.Version{vllm.NewestVersion, vllm.NewestVersion})
	got := [][]string{servers[0].Adapters, servers[1].Adapters}
	if diff := cmp.Diff([][]string{{"named", "rewritten"}, nil}, got); diff != "" {
		t.Errorf("adapters (−want +got):\n%s", diff)
	}
}
