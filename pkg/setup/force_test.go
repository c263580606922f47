// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/policy"
)

// Whatever stands around a router, a force reaches it, and of several routers that of each
// request.
func TestForcesReachEachRouter(t *testing.T) {
	chance := routedBy(v1alpha1.RoutingPolicy{Policy: "random"})
	for name, edit := range map[string]func(*v1alpha1.Scenario){
		"an EPP":                   func(*v1alpha1.Scenario) {},
		"several EPPs":             func(s *v1alpha1.Scenario) { s.Router.Replicas = 3 },
		"a policy":                 chance,
		"several of a policy":      func(s *v1alpha1.Scenario) { chance(s); s.Router.Replicas = 3 },
		"policies before a router": func(s *v1alpha1.Scenario) { chance(s); s.Router.Admission = &v1alpha1.GatewayPolicy{Policy: "always"} },
	} {
		t.Run(name, func(t *testing.T) {
			config := mustBuild(t, edit)
			router := config.Policies.Routing.Router
			var asked []int
			router.(policy.Forcible).Force(func(request int, candidates []int, _ int) int {
				asked = append(asked, request)
				return candidates[len(candidates)-1]
			})
			endpoints := 0
			for i := range config.Pools {
				endpoints += config.Pools[i].Places()
			}
			for n := range 6 {
				view := &policy.View{Scrapes: make([]policy.Scrape, endpoints)}
				to, err := router.Route(view, &policy.Request{ID: n, Turn: n})
				if err != nil || to.Endpoint != endpoints-1 {
					t.Errorf("request %d goes to %d, error %v", n, to.Endpoint, err)
				}
			}
			if diff := cmp.Diff([]int{0, 1, 2, 3, 4, 5}, asked); diff != "" {
				t.Errorf("asked about (-want +got):\n%s", diff)
			}
		})
	}
}
