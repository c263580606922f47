// SPDX-License-Identifier: Apache-2.0

package autoscaling

import (
	"testing"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/starlark"
)

func TestPrograms(t *testing.T) {
	for name, tc := range map[string]struct {
		body   string
		want   string
		reason string
	}{
		"more":             {"return [p.wanted + 1 for p in pools]", "4:7", "from 3:6 to 4:7: the program says so"},
		"as many":          {"return [p.ready for p in pools]", "3:6", "stays at 3:6: the program says so"},
		"beyond the bound": {"return [0, 1000]", "1:100", "from 3:6 to 1:100: the program says so"},
		"by load":          {"return [int(p.waiting * 2 + p.running) for p in pools]", "16:16", "from 3:6 to 16:16: the program says so"},
		"by the past":      {"return [int(p.last_change) // 10 for p in pools]", "6:6", "from 3:6 to 6:6: the program says so"},
		"a half":           {"return [1, 2.5]", "3:6", "the program has a fault"},
	} {
		t.Run(name, func(t *testing.T) {
			l := sandbox.AutoscaleLayout()
			code, fault := starlark.Load("def scale(gateway, pools):\n  "+tc.body, l, nil, sandbox.DefaultLimits)
			if fault != nil {
				t.Fatal(fault)
			}
			s := newScene(3, 6)
			s.sample(time.Minute, func(x *Sample) {
				x.Gateway.Arrived = 1
				for i := range x.Engines {
					x.Engines[i].Waiting, x.Engines[i].Running = 5, 6
				}
			})
			scaler := ProgramConfig(code, l, s.world(), 1, &policy.Faults{}).New()
			if got, reason := s.ask(scaler); got != tc.want || reason != tc.reason {
				t.Errorf("%s: %s", got, reason)
			}
		})
	}
}
