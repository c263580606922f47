// SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/testing/builder"
)

// What a builder makes is what a server returns, to the last default.
func TestBuildersLeaveOutNothingThatTheServerDefaults(t *testing.T) {
	s, ctx := server(t), context.Background()
	for name, obj := range map[string]client.Object{
		"a run":                    builder.MakeRun("built-run", "default").Obj(),
		"a run of a trace":         builder.MakeRun("built-trace", "default").Scenario(builder.TraceFrom(v1alpha1.AzureTrace, "traces", "code.csv")).Seeds(1, 2).Shards(3).Obj(),
		"a sweep over a range":     builder.MakeSweep("built-range", "default").Grid("seqs", "pools[llama].engine.maxNumSeqs", "64", "256", "64").Baseline("seqs", "128").Obj(),
		"a sweep over profiles":    builder.MakeSweep("built-profiles", "default").Profile("random", builder.RandomPickerConfig).Random(10, 2).Obj(),
		"a run that is suspended":  builder.MakeRun("built-suspended", "default").Suspend(true).Obj(),
		"a run with another label": builder.MakeRun("built-label", "default").Label("a", "b").Scenario(builder.NoSLOs, builder.Replicas(3)).Obj(),
	} {
		t.Run(name, func(t *testing.T) {
			built := obj.DeepCopyObject()
			if err := s.client.Create(ctx, obj, client.DryRunAll, client.FieldValidation("Strict")); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(spec(obj), spec(built)); diff != "" {
				t.Errorf("spec (-server +built):\n%s", diff)
			}
		})
	}
}

func TestSpecMayBeEdited(t *testing.T) {
	s, ctx := server(t), context.Background()
	sweep := builder.MakeSweep("edited", "default").Values("seqs", "pools[llama].engine.maxNumSeqs", "128").Obj()
	if err := s.client.Create(ctx, sweep); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.client.Delete(ctx, sweep) })

	sweep.Spec.Parameters[0].Values = []string{"64", "128"}
	sweep.Spec.Scenario.Pools[0].Replicas = 3
	sweep.Spec.Search.MaxTrials = 7
	if err := s.client.Update(ctx, sweep); err != nil {
		t.Fatalf("edit the spec: %v", err)
	}
	if sweep.Generation != 2 {
		t.Errorf("generation %d after the first edit, want 2", sweep.Generation)
	}

	sweep.Status.Leaderboard = "leaderboard"
	sweep.Status.Conditions = nil
	if err := s.client.Status().Update(ctx, sweep); err != nil {
		t.Fatalf("write the status: %v", err)
	}
	if sweep.Generation != 2 {
		t.Errorf("generation %d after a status write, want 2", sweep.Generation)
	}

	sweep.Spec.Replications = v1alpha1.Replications{Seeds: []int64{1, 1}}
	if err := s.client.Update(ctx, sweep); !apierrors.IsInvalid(err) {
		t.Errorf("an invalid edit gave %v, want an error of type Invalid", err)
	}
}
