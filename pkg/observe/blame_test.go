// SPDX-License-Identifier: Apache-2.0

package observe_test

import (
	"testing"

	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/observe"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// TestCausesAreNamed has the scenario predict clusters of other seeds that differ from it in one
// assumption each. Their manifests differ: nothing of how a cause is tried makes the clusters.
func TestCausesAreNamed(t *testing.T) {
	if testing.Short() {
		t.Skip("simulating hundreds of clusters takes half a minute: run without -short")
	}
	longer := []compile.Setting{
		{Path: "workload.clients[chat].inputTokens.mean", Value: "955"}, // with the system prompt, 20 % more
		{Path: "workload.clients[chat].outputTokens.mean", Value: "145"},
	}
	slower := func(make observe.Maker) observe.Maker {
		return func(seed int64) (simulator.Config, error) {
			c, err := make(seed)
			for i := range c.Pools {
				c.Pools[i].Timer = slowTimer{c.Pools[i].Timer}
			}
			return c, err
		}
	}
	for name, tc := range map[string]struct {
		cluster observe.Maker
		want    string
	}{
		"a cluster as predicted":    {scenario(t), ""},
		"20 % more requests":        {scenario(t, compile.Setting{Path: "workload.clients[chat].arrivals.rate", Value: "16.8"}), observe.Traffic},
		"20 % fewer requests":       {scenario(t, compile.Setting{Path: "workload.clients[chat].arrivals.rate", Value: "11.2"}), observe.Traffic},
		"20 % longer texts":         {scenario(t, longer...), observe.Lengths},
		"steps that take 20 % more": {slower(scenario(t)), observe.StepTime},
		"caches that give nothing":  {scenario(t, compile.Setting{Path: "pools[llama].engine.prefixCaching", Value: "Disabled"}), observe.HitShares},
		"a shorter system prompt":   {scenario(t, compile.Setting{Path: "workload.clients[chat].prefix.tokens", Value: "256"}, compile.Setting{Path: "workload.clients[chat].inputTokens.mean", Value: "956"}), observe.HitShares},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stage, measures, o := stageOf(1), observe.Measures(), options(20)
			three := stageOf(3)
			played, err := three.Play(t.Context(), tc.cluster, 7001, observe.AsStated())
			if err != nil {
				t.Fatal(err)
			}
			measured, _ := three.Window.Figures(played, measures)
			predicted := predict(t, stage, scenario(t), o.Seeds)
			checks := observe.Hold(&three.Window, measured, predicted, 1, measures, rules)
			if drift := observe.Drifted(checks); drift != (tc.want != "") {
				t.Errorf("drift is %v", drift)
			}
			causes, err := observe.Blame(t.Context(), stage, scenario(t), measures, measured, predicted, checks, o)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d of %d outside, error %.2f", observe.Outside(checks), len(checks), causes.Error)
			for _, c := range causes.Causes {
				t.Logf("%-10s %.2f %3.0f %%", c.Assumption, c.Error, 100*c.Explained)
				for _, change := range c.Changes {
					t.Logf("    %s: %.4g, measured %.4g (%.3f)", change.Input, change.Stated, change.Measured, *change.Ratio)
				}
			}
			if got := causes.Most(); tc.want != "" && got != tc.want {
				t.Errorf("the cause is %q, want %q", got, tc.want)
			}
		})
	}
}
