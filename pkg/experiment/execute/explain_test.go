// SPDX-License-Identifier: Apache-2.0

package execute_test

import (
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
)

func TestExplainShowsAPolicyAsOneProfile(t *testing.T) {
	run := experimenttest.Run(t)
	run.Spec.Scenario.Router.EndpointPickerConfig = v1alpha1.EndpointPickerConfig{}
	run.Spec.Scenario.Router.Replicas = 2
	run.Spec.Scenario.Router.TieBreak = v1alpha1.RandomTieBreak
	run.Spec.Scenario.Router.Policies = &v1alpha1.Policies{Routing: v1alpha1.RoutingPolicy{
		Policy: "weighted", Scorers: []v1alpha1.RoutingScorer{{Name: "load-balance", Weight: "2"}, {Name: "prefix-affinity", Weight: "1"}},
	}}
	run.Spec.Trace.Level = v1alpha1.DecisionsTrace
	c := experimenttest.MustCompileRun(t, run)
	story, err := execute.Explain(t.Context(), c.Plan, c.Traces, 1, 1, false)
	if err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	if err := story.Table(&table); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		", EPP 1\n", "profile weighted\n", "load-balance ×2", "prefix-affinity ×1", "1 → 2", "weighted picked ", "in flight: the requests that the router itself sent there, without delay\n",
		"prefix-affinity: the requests sent there, without delay; does not see evictions; blocks of 16 tokens\n", " ms old", "requests 0",
	} {
		if !strings.Contains(table.String(), want) {
			t.Errorf("there is no %q in\n%s", want, &table)
		}
	}
	if strings.Contains(table.String(), "saturation") {
		t.Errorf("a policy has no detector\n%s", &table)
	}
}

func TestAPoolOfTheGreatestSize(t *testing.T) {
	run := experimenttest.Run(t)
	run.Spec.Scenario.Pools[0].Replicas = 16_384
	c := experimenttest.MustCompileRun(t, run)
	overall := &experimenttest.MustSimulate(t, c, experiment.Span{End: 1})[0].Document.Overall
	if got := overall.Requests.Completed; got != 40 {
		t.Errorf("%d of 40 requests completed", got)
	}
}
