// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"errors"
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

// Flow control holds requests by priority. A token has 4 bytes: 100 and 50 tokens of priority 5, and 10 of priority 0.
func TestExportedQueuesByPriority(t *testing.T) {
	c := mustLoadFor(t, "router-v0.10", "featureGates: [flowControl]\nplugins: [{type: queue-scorer}]")
	routing := New(c, config.Cluster{Endpoints: 2, BytesPerToken: 4}, 1).Routing()
	for i, r := range []struct{ priority, tokens int }{{5, 100}, {0, 10}, {5, 50}} {
		q := request(i, r.tokens)
		q.Priority = r.priority
		if _, err := routing.Router.Route(idle(2), q); !errors.Is(err, policy.ErrHeld) {
			t.Fatalf("request %d: %v, want it to be held", i, err)
		}
	}
	var m policy.RouterMetrics
	routing.Metrics.Export(idle(2), 0, &m)
	for _, want := range []policy.QueuedBand{{Priority: 5, Requests: 2, Bytes: 600, MaxRequests: 5000, MaxBytes: 1e9}, {Requests: 1, Bytes: 40, MaxRequests: 5000, MaxBytes: 1e9}, {Priority: 1}} {
		if diff := cmp.Diff(want, m.Band(want.Priority)); diff != "" {
			t.Errorf("priority %d, −want +got:\n%s", want.Priority, diff)
		}
	}
	// The client of the first one gives it up: it is in the way until the next sweep, and counts no longer.
	given := request(0, 100)
	given.Priority = 5
	routing.Router.(policy.Queue).Cancel(0, given)
	m = policy.RouterMetrics{}
	routing.Metrics.Export(idle(2), 0, &m)
	if diff := cmp.Diff(policy.QueuedBand{Priority: 5, Requests: 1, Bytes: 200, MaxRequests: 5000, MaxBytes: 1e9}, m.Band(5)); diff != "" || m.QueuedBytes != 240 {
		t.Errorf("%d bytes wait, want 240; −want +got:\n%s", m.QueuedBytes, diff)
	}
}
