// SPDX-License-Identifier: Apache-2.0

package advice_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/advice"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
	"windtunnel.dev/windtunnel/pkg/manifest"
)

const promotable = `apiVersion: llm-d.ai/v1alpha1
kind: EndpointPickerConfig
plugins:
- type: queue-scorer # short queues
- type: kv-cache-utilization-scorer
schedulingProfiles:
- name: default
  plugins:
  - pluginRef: queue-scorer
    weight: 2
  - pluginRef: kv-cache-utilization-scorer
`

func weightOf(scorer string) string {
	return "router.endpointPickerConfig.schedulingProfiles[default].plugins[" + scorer + "].weight"
}

// promoting is a sweep over weights of a configuration and the size of a pool.
func promoting(t *testing.T) *v1alpha1.PolicySweep {
	sweep := experimenttest.Sweep(t)
	text := promotable
	sweep.Spec.Scenario.Router.EndpointPickerConfig = v1alpha1.EndpointPickerConfig{Version: "router-v0.10", Inline: &text}
	sweep.Spec.Parameters = []v1alpha1.Parameter{
		{Name: "queue", Path: weightOf("queue-scorer"), Values: []string{"2", "4"}},
		{Name: "kv", Path: weightOf("kv-cache-utilization-scorer"), Values: []string{"1", "0.5"}},
		{Name: "replicas", Path: "pools[" + sweep.Spec.Scenario.Pools[0].Name + "].replicas", Values: []string{"2", "3"}},
	}
	sweep.Spec.Baseline = nil
	sweep.Spec.Search = v1alpha1.Search{Algorithm: v1alpha1.GridSearch, MaxTrials: 100}
	return sweep
}

func mustStudy(t *testing.T, sweep *v1alpha1.PolicySweep) *study.Study {
	t.Helper()
	st, err := study.New(experimenttest.MustCompileSweep(t, sweep).Plan)
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// pointAt is the ID of the point with these values.
func pointAt(t *testing.T, s *study.Study, values string) int {
	t.Helper()
	for _, point := range s.Points() {
		if point.String() == values {
			return point.ID
		}
	}
	t.Fatalf("there is no point %s among %v", values, s.Points())
	return 0
}

func TestPromotePointChangesTheLinesOfThePoint(t *testing.T) {
	st := mustStudy(t, promoting(t))
	p, err := advice.PromotePoint(st, pointAt(t, st, "queue=4 kv=0.5 replicas=3"), v1alpha1.SourceFormat)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Replace(promotable, "weight: 2", "weight: 4", 1) + "    weight: 0.5\n"
	if diff := cmp.Diff(want, p.Text); diff != "" {
		t.Errorf("text (−want +got):\n%s", diff)
	}
	elsewhere := []advice.Setting{{Path: "pools[" + experimenttest.Sweep(t).Spec.Scenario.Pools[0].Name + "].replicas", Value: "3"}}
	if diff := cmp.Diff(elsewhere, p.Elsewhere); diff != "" {
		t.Errorf("elsewhere (−want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]advice.Setting{{Path: weightOf("queue-scorer"), Value: "4"}, {Path: weightOf("kv-cache-utilization-scorer"), Value: "0.5"}}, p.Changed); diff != "" {
		t.Errorf("changed (−want +got):\n%s", diff)
	}
	if !strings.Contains(p.Diff, "\n-    weight: 2\n+    weight: 4\n") {
		t.Errorf("diff is\n%s", p.Diff)
	}
}

func TestPromotePointTakesTheFileOfTheProfile(t *testing.T) {
	sweep := promoting(t)
	second := strings.Replace(promotable, "# short queues", "# of the second", 1)
	sweep.Spec.Parameters[2] = v1alpha1.Parameter{Name: "profile", Path: "router.endpointPickerConfig", Profiles: []v1alpha1.Profile{
		{Name: "first", EndpointPickerConfig: sweep.Spec.Scenario.Router.EndpointPickerConfig},
		{Name: "second", EndpointPickerConfig: v1alpha1.EndpointPickerConfig{Version: "router-v0.10", Inline: &second}},
	}}
	st := mustStudy(t, sweep)
	p, err := advice.PromotePoint(st, pointAt(t, st, "queue=4 kv=1 profile=second"), v1alpha1.HelmValuesFormat)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"pluginsConfigFile: second.yaml", "# of the second", "weight: 4\n"} {
		if !strings.Contains(p.Text, want) {
			t.Errorf("text lacks %q:\n%s", want, p.Text)
		}
	}
}

func TestAPlanDoesNotHoldTheTextOfItsEPPFile(t *testing.T) {
	a, b := promoting(t), promoting(t)
	*b.Spec.Scenario.Router.EndpointPickerConfig.Inline += "# nothing else\n"
	x, y := experimenttest.MustCompileSweep(t, a), experimenttest.MustCompileSweep(t, b)
	if x.Plan.Hash() != y.Plan.Hash() {
		t.Error("a comment in the EPP's configuration changes the plan")
	}
	decoded, err := experiment.DecodePlan(x.Plan.Encode())
	if err != nil {
		t.Fatal(err)
	}
	st, err := study.New(decoded)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := advice.PromotePoint(st, 0, v1alpha1.SourceFormat); !errors.Is(err, advice.ErrNothingToPromote) {
		t.Errorf("a decoded plan promotes: %v", err)
	}
}

// promotingModels is [promoting] with two models, the second of which is varied.
func promotingModels(t *testing.T, edit func(*v1alpha1.PolicySweep)) *v1alpha1.PolicySweep {
	t.Helper()
	sweep := promoting(t)
	experimenttest.ServeTwoModels(&sweep.Spec.Scenario)
	sweep.Spec.Parameters = sweep.Spec.Parameters[:1]
	sweep.Spec.Parameters[0].Path = strings.Replace(sweep.Spec.Parameters[0].Path, "router.", "routers["+experimenttest.Large+"].", 1)
	sweep.Spec.Baseline = nil
	if edit != nil {
		edit(sweep)
	}
	manifest.Default(sweep)
	return sweep
}

func TestPromoteWritesTheRouterThatTheSweepVaries(t *testing.T) {
	st := mustStudy(t, promotingModels(t, nil))
	p, err := advice.PromotePoint(st, pointAt(t, st, "queue=4"), v1alpha1.SourceFormat)
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.Replace(promotable, "weight: 2", "weight: 4", 1); p.Text != want || p.Model != experimenttest.Large {
		t.Errorf("router of %q:\n%s", p.Model, p.Text)
	}
}

func TestPromoteRefusesSeveralRouters(t *testing.T) {
	small := experimenttest.Sweep(t).Spec.Scenario.Pools[0].Model
	for name, test := range map[string]struct {
		edit func(*v1alpha1.PolicySweep)
		want string
	}{
		"two routers": {func(s *v1alpha1.PolicySweep) {
			other := s.Spec.Parameters[0]
			other.Name, other.Path = "other", strings.Replace(other.Path, experimenttest.Large, small, 1)
			s.Spec.Parameters = append(s.Spec.Parameters, other)
		}, "make a sweep for each router"},
		"no router": {func(s *v1alpha1.PolicySweep) {
			s.Spec.Parameters[0] = v1alpha1.Parameter{Name: "replicas", Path: "pools[large].replicas", Values: []string{"1", "2"}}
		}, "no parameter changes"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := advice.PromotePoint(mustStudy(t, promotingModels(t, test.edit)), 0, v1alpha1.SourceFormat)
			if !errors.Is(err, advice.ErrNothingToPromote) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one with %q", err, test.want)
			}
		})
	}
}

func TestAFollowUpRunKeepsItsRouters(t *testing.T) {
	sweep := promotingModels(t, nil)
	st := mustStudy(t, sweep)
	spec, err := advice.FollowUpRun(st, &sweep.Spec, pointAt(t, st, "queue=4"))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"weight: 2", "weight: 4"} {
		if text := *spec.Scenario.Routers[i].EndpointPickerConfig.Inline; !strings.Contains(text, want) {
			t.Errorf("router %d lacks %q:\n%s", i, want, text)
		}
	}
}
