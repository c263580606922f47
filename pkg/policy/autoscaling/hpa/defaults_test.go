// SPDX-License-Identifier: Apache-2.0

package hpa_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/hpa"
)

func TestDefaults(t *testing.T) {
	zero, minute := time.Duration(0), time.Minute
	tolerance := int64(50)
	up := []hpa.Policy{
		{Type: hpa.PodsPolicy, Value: 4, Period: 15 * time.Second},
		{Type: hpa.PercentPolicy, Value: 100, Period: 15 * time.Second},
	}
	down := []hpa.Policy{{Type: hpa.PercentPolicy, Value: 100, Period: 15 * time.Second}}
	one := []hpa.Policy{{Type: hpa.PodsPolicy, Value: 1, Period: time.Minute}}
	external := []hpa.Metric{{Source: hpa.External, Target: hpa.Target{Type: hpa.Value, Value: 1}}}
	for name, c := range map[string]struct{ spec, want hpa.Spec }{
		"an empty spec aims at 80 % of the CPU": {
			spec: hpa.Spec{Max: 5},
			want: hpa.Spec{Min: 1, Max: 5, Metrics: []hpa.Metric{
				{Source: hpa.Resource, CPU: true, Target: hpa.Target{Type: hpa.Utilization, Value: 80}},
			}},
		},
		"an empty behaviour has all rules but the window of scaling down": {
			spec: hpa.Spec{Min: 2, Max: 5, Metrics: external, Behavior: &hpa.Behavior{}},
			want: hpa.Spec{Min: 2, Max: 5, Metrics: external, Behavior: &hpa.Behavior{
				ScaleUp:   &hpa.Rules{Window: &zero, Select: hpa.Max, Policies: up},
				ScaleDown: &hpa.Rules{Select: hpa.Max, Policies: down},
			}},
		},
		"each part that the author writes stays": {
			spec: hpa.Spec{Max: 5, Metrics: external, Behavior: &hpa.Behavior{
				ScaleUp:   &hpa.Rules{Window: &minute, Tolerance: &tolerance},
				ScaleDown: &hpa.Rules{Select: hpa.Disabled, Policies: one},
			}},
			want: hpa.Spec{Min: 1, Max: 5, Metrics: external, Behavior: &hpa.Behavior{
				ScaleUp:   &hpa.Rules{Window: &minute, Select: hpa.Max, Policies: up, Tolerance: &tolerance},
				ScaleDown: &hpa.Rules{Select: hpa.Disabled, Policies: one},
			}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, hpa.Defaults(c.spec)); diff != "" {
				t.Errorf("defaults (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDefaultsLeaveTheAuthorsSpecAlone(t *testing.T) {
	spec := hpa.Spec{Max: 5, Behavior: &hpa.Behavior{ScaleDown: &hpa.Rules{}}}
	hpa.New(spec, hpa.DefaultOptions())
	if diff := cmp.Diff(hpa.Spec{Max: 5, Behavior: &hpa.Behavior{ScaleDown: &hpa.Rules{}}}, spec); diff != "" {
		t.Errorf("the spec changed (-before +after):\n%s", diff)
	}
}
