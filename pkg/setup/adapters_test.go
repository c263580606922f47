// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

func TestBuildAdapters(t *testing.T) {
	for name, tc := range map[string]struct {
		in   *v1alpha1.Adapters
		want *simulator.AdapterPlaces
	}{
		"none":         {nil, nil},
		"at once":      {&v1alpha1.Adapters{Max: 4}, &simulator.AdapterPlaces{Max: 4}},
		"after a time": {&v1alpha1.Adapters{Max: 1, LoadTime: "200ms"}, &simulator.AdapterPlaces{Max: 1, LoadTime: 200 * time.Millisecond}},
	} {
		t.Run(name, func(t *testing.T) {
			got := mustBuild(t, func(s *v1alpha1.Scenario) { s.Pools[0].Adapters = tc.in }).Pools[0].Adapters
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("places (−want +got):\n%s", diff)
			}
		})
	}
}

func TestAdapterPlacesOfPools(t *testing.T) {
	asks := func(s *v1alpha1.Scenario) {
		s.Pools = append(s.Pools, s.Pools[0])
		s.Pools[1].Name = "second"
		s.Pools[0].Adapters = &v1alpha1.Adapters{Max: 1}
		s.Workload.Clients[0].Adapter = "tone"
	}
	_, errs := build(t, asks)
	wantFault(t, errs, "spec.scenario.pools[1].adapters.max", "asks for the adapter tone")
	mustBuild(t, func(s *v1alpha1.Scenario) {
		asks(s)
		s.Pools[1].Adapters = &v1alpha1.Adapters{Max: 2}
	})
}
