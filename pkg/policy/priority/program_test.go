// SPDX-License-Identifier: Apache-2.0

package priority

import (
	"testing"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/starlark"
)

// A program states whole numbers, and 0 once it has a fault.
func TestPrograms(t *testing.T) {
	l := sandbox.PriorityLayout(sandbox.Names{Tenants: world.Tenants, Classes: world.Classes})
	code, fault := starlark.Load("def prioritize(request, gateway, tenant, endpoints):\n  return 100 // request.tokens - request.priority", l, nil, sandbox.DefaultLimits)
	if fault != nil {
		t.Fatal(fault)
	}
	faults := &policy.Faults{}
	p := NewProgram(code, l, 1, 1, faults)
	view := &policy.View{Scrapes: make([]policy.Scrape, 1), Traffic: policy.NewTraffic(2, 2, time.Minute)}
	for _, tc := range []struct{ tokens, want int }{{10, 3}, {50, -5}, {0, 0}, {10, 0}} {
		if got, _ := p.Prioritize(view, &policy.Request{Tokens: tc.tokens, Priority: 7}); got != tc.want {
			t.Errorf("%d tokens: %d, want %d", tc.tokens, got, tc.want)
		}
	}
	if f := faults.First(); f == nil || f.Component != "priority" {
		t.Error(f)
	}
}
