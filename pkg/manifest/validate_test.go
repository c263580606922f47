// SPDX-License-Identifier: Apache-2.0

package manifest_test

import (
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/testing/builder"
	"windtunnel.dev/windtunnel/internal/testing/paniccheck"
	"windtunnel.dev/windtunnel/pkg/manifest"
)

func TestValidateTakesObjectsMadeInGo(t *testing.T) {
	sweep := builder.MakeSweep("s", "default").Values("seqs", "pools[llama].engine.maxNumSeqs", "64")
	for name, c := range map[string]struct {
		obj  runtime.Object
		want []string
	}{
		"a valid run":   {builder.MakeRun("r", "default").Obj(), nil},
		"a valid sweep": {sweep.Obj(), nil},
		"a run with a status that no server wrote": {
			func() runtime.Object {
				run := builder.MakeRun("r", "default").Obj()
				run.Status.Metrics = make([]v1alpha1.MetricValue, 100)
				return run
			}(), nil,
		},
		"a run without a name": {
			builder.MakeRun("", "default").Obj(),
			[]string{blocked, "metadata.name: Required value: name or generateName is required"},
		},
		"a scenario that a sweep has filled in": {
			func() runtime.Object {
				run := builder.MakeRun("r", "default").Obj()
				run.Spec.Scenario.Pools[0].Engine.MaxNumBatchedTokens = 64
				run.Spec.Scenario.Pools[0].KVCache.Blocks = ptr.To[int32](0)
				return run
			}(),
			[]string{
				"spec.scenario.pools[0].engine.maxNumBatchedTokens: Invalid value: maxNumBatchedTokens must be at least maxNumSeqs",
				"spec.scenario.pools[0].kvCache.blocks: Invalid value: 0: spec.scenario.pools[0].kvCache.blocks in body should be greater than or equal to 2",
			},
		},
		"a sweep whose baseline names another parameter": {
			sweep.Baseline("sequences", "64").Obj(),
			[]string{"spec.baseline.parameters: Invalid value: baseline must give every parameter of the sweep a value, and no other; no value for \"seqs\"; no parameter is called \"sequences\""},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, fault := range manifest.Validate(c.obj) {
				got = append(got, fault.Error())
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
}

const blocked = "<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation"

func TestDefaultKeepsWhatIsSet(t *testing.T) {
	run := &v1alpha1.SimulationRun{}
	run.Spec.Scenario.Pools = []v1alpha1.Pool{{Name: "a", Replicas: 7}, {Name: "b", Engine: v1alpha1.Engine{BlockSize: 32}}}
	run.Status.ObservedGeneration = 3
	manifest.Default(run)
	a, b := run.Spec.Scenario.Pools[0], run.Spec.Scenario.Pools[1]
	got := []any{a.Replicas, a.Engine.BlockSize, b.Replicas, b.Engine.BlockSize, b.Engine.MaxNumSeqs, run.Status.ObservedGeneration, run.Kind, run.Namespace}
	want := []any{int32(7), int32(16), int32(1), int32(32), int32(256), int64(3), "", ""}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("object (-want +got):\n%s", diff)
	}
}

func TestOtherTypesAreBrokenInvariants(t *testing.T) {
	for name, call := range map[string]func(){
		"Validate": func() { manifest.Validate(&corev1.ConfigMap{}) },
		"Default":  func() { manifest.Default(&v1alpha1.SimulationRunList{}) },
	} {
		t.Run(name, func(t *testing.T) {
			defer paniccheck.Want(t, "no panic for a type that has no schema here")
			call()
		})
	}
}

// A sweep's points are compiled on all cores.
func TestValidateMayBeCalledConcurrently(t *testing.T) {
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			run := builder.MakeRun("r", "default").Obj()
			run.Spec.Scenario.Pools[0].Engine.MaxNumBatchedTokens = 64
			for range 20 {
				if errs := manifest.Validate(run); len(errs) != 1 {
					t.Errorf("%d faults, want 1", len(errs))
				}
			}
		})
	}
	group.Wait()
}
