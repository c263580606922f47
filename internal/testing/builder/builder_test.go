// SPDX-License-Identifier: Apache-2.0

package builder_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/testing/builder"
	"windtunnel.dev/windtunnel/pkg/manifest"
)

func TestObjectsAreValidAndFullyDefaulted(t *testing.T) {
	for name, obj := range map[string]runtime.Object{
		"the smallest run": builder.MakeRun("r", "ns").Obj(),
		"a run of everything": builder.MakeRun("r", "ns").UID("u").Generation(2).Label("a", "b").Seeds(1, 2).Shards(3).Suspend(true).
			Scenario(builder.Requests(5), builder.Duration(time.Minute), builder.Replicas(2), builder.Client("second", "2.5"),
				builder.PickerConfig(builder.RandomPickerConfig), builder.SLO("other", "1s")).Obj(),
		"a run of a trace file":       builder.MakeRun("r", "ns").Scenario(builder.TraceFile(v1alpha1.MooncakeTrace, "x"), builder.NoSLOs).Obj(),
		"a run of two ConfigMaps":     builder.MakeRun("r", "ns").Scenario(builder.TraceFrom(v1alpha1.AzureTrace, "a", "b"), builder.PickerConfigFrom("c", "d")).Obj(),
		"a sweep over a range":        builder.MakeSweep("s", "ns").Grid("w", "x", "0", "5", "1").Baseline("w", "3").MaxTrials(6).Obj(),
		"a sweep over random values":  builder.MakeSweep("s", "ns").Values("w", "x", "1", "2").Random(2, 7).Objective("ttft.p99", v1alpha1.Minimize).Obj(),
		"a sweep over two profiles":   builder.MakeSweep("s", "ns").Profile("a", builder.DefaultPickerConfig).Profile("b", builder.RandomPickerConfig).Baseline("profile", "a").Obj(),
		"a sweep with every setting":  builder.MakeSweep("s", "ns").UID("u").Generation(2).Label("a", "b").Grid("w", "x", "0", "5", "1").Seeds(1).Shards(2).Suspend(true).Scenario(builder.Replicas(4)).Obj(),
		"a sweep with two conditions": builder.MakeSweep("s", "ns").Values("w", "x", "1").Condition(metav1.Condition{Type: "A"}).Condition(metav1.Condition{Type: "B"}).Obj(),
	} {
		t.Run(name, func(t *testing.T) {
			if errs := manifest.Validate(obj); len(errs) > 0 {
				t.Errorf("not valid: %v", errs)
			}
			again := obj.DeepCopyObject()
			manifest.Default(again)
			if diff := cmp.Diff(obj, again); diff != "" {
				t.Errorf("not fully defaulted (-built +defaulted):\n%s", diff)
			}
		})
	}
}

func TestAConditionReplacesOneOfItsType(t *testing.T) {
	run := builder.MakeRun("r", "ns").
		Condition(metav1.Condition{Type: "Ready", Reason: "Running"}).
		Condition(metav1.Condition{Type: "Ready", Reason: "Complete"}).Obj()
	if got := run.Status.Conditions; len(got) != 1 || got[0].Reason != "Complete" {
		t.Errorf("conditions %v, want Complete alone", got)
	}
}

func TestABuilderMayGoOnAfterObj(t *testing.T) {
	b := builder.MakeRun("r", "ns")
	first := b.Obj()
	second := b.Scenario(builder.Replicas(9)).Obj()
	if first.Spec.Scenario.Pools[0].Replicas != 2 || second.Spec.Scenario.Pools[0].Replicas != 9 {
		t.Errorf("replicas %d and %d, want 2 and 9", first.Spec.Scenario.Pools[0].Replicas, second.Spec.Scenario.Pools[0].Replicas)
	}
}
