// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"testing"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/starlark"
)

func TestPrograms(t *testing.T) {
	l := sandbox.AdmissionLayout(sandbox.Names{Tenants: names.Tenants, Classes: names.Classes})
	for name, tc := range map[string]struct {
		body  string
		want  string
		until time.Duration
		fault bool
	}{
		"admits":                {body: "return True", want: "admit"},
		"rejects":               {body: "return len(endpoints) != 2", want: "shed"},
		"delays":                {body: "return 0.25", want: "delay", until: 250 * time.Millisecond},
		"delays a little":       {body: "return 0.0000001", want: "delay", until: time.Millisecond},
		"delays for ever":       {body: "return 1e300", want: "delay", until: 24 * time.Hour},
		"knows tenant and load": {body: "return request.tenant == 'free' and endpoints[0].waiting == 7 and tenant.in_flight == 0", want: "admit"},
		"has a fault":           {body: "return endpoints[5]", want: "admit", fault: true},
	} {
		t.Run(name, func(t *testing.T) {
			code, fault := starlark.Load("def admit(request, gateway, tenant, endpoints):\n  "+tc.body, l, nil, sandbox.DefaultLimits)
			if fault != nil {
				t.Fatal(fault)
			}
			faults := &policy.Faults{}
			p := NewProgram(code, l, 2, 1, faults)
			view := busy(at(1000), 7, 0.5)
			view.Traffic = policy.NewTraffic(2, 3, ProgramWindow)
			got := p.Admit(view, &policy.Request{Tenant: free})
			switch {
			case tc.want == "admit" && got != policy.AdmissionResponse{}, tc.want == "shed" && said(got) != "shed":
				t.Errorf("%+v", got)
			case tc.want == "delay" && got.Until.Sub(view.Now) != tc.until:
				t.Errorf("a delay of %v", got.Until.Sub(view.Now))
			}
			if (faults.First() != nil) != tc.fault {
				t.Error(faults.First())
			}
		})
	}
}
