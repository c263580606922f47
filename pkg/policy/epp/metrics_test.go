// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
)

// Requests of 1000 and 200 tokens go to endpoints 0 and 1, which then goes. The first chunk of the
// first one ends its tokens. router-v0.10 keeps the series of the endpoint that is gone, later
// versions do not.
func TestExportedLoadInFlight(t *testing.T) {
	for version, afterGone := range map[string]policy.InFlight{"router-v0.10": {Requests: 1, Tokens: 200}, "router-main": {}} {
		t.Run(version, func(t *testing.T) {
			c := mustLoadFor(t, version, "plugins: [{type: inflight-load-producer}, {type: token-load-scorer}]")
			s := New(c, config.Cluster{Endpoints: 2}, 1)
			routing := s.Routing()
			exported := func() []policy.InFlight {
				var m policy.RouterMetrics
				routing.Metrics.Export(idle(2), 0, &m)
				return m.InFlight
			}
			first, second := request(0, 1000), request(1, 200)
			at := route(t, s, idle(2), first)
			other := route(t, s, idle(2), second)
			if at == other {
				t.Fatal("both requests are at one endpoint")
			}
			want := make([]policy.InFlight, 2)
			want[at], want[other] = policy.InFlight{Requests: 1, Tokens: 1000}, policy.InFlight{Requests: 1, Tokens: 200}
			if diff := cmp.Diff(want, exported()); diff != "" {
				t.Errorf("after two picks, −want +got:\n%s", diff)
			}
			s.FirstToken(first, at)
			gone := idle(2)
			gone.Down = []bool{other == 0, other == 1}
			third := request(2, 30)
			route(t, s, gone, third)
			want[at], want[other] = policy.InFlight{Requests: 2, Tokens: 30}, afterGone
			if diff := cmp.Diff(want, exported()); diff != "" {
				t.Errorf("after an endpoint is gone, −want +got:\n%s", diff)
			}
		})
	}
}
