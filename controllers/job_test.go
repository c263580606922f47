// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/worker"
)

// TestMakeJob compares the Job of a sweep of a trace with testdata/job.yaml,
// which is easier to review than Go.
func TestMakeJob(t *testing.T) {
	object := weights().Label(LabelQueue, "team-queue").Obj()
	object.Spec.Execution.Resources.Limits = corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("4Gi")}
	s := sweepSubject(object)
	p := &planned{
		Plan: &experiment.Plan{Trace: &experiment.TraceInput{ConfigMap: &v1alpha1.ConfigMapKeyReference{Name: "traces", Key: "hour.jsonl.gz"}}},
		hash: strings.Repeat("0123456789abcdef", 4), shards: 2, job: "weights-01234567",
	}
	raw, err := yaml.Marshal(makeJob(s, p, "windtunnel:v1"))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("testdata", "job.yaml")
	if *update {
		if err := os.WriteFile(file, raw, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(raw)); diff != "" {
		t.Errorf("the Job has changed (-want +got); go test -update rewrites it:\n%s", diff)
	}
}

func TestWithoutATraceNothingIsMountedButThePlan(t *testing.T) {
	s := newScene(t)
	spec := makeJob(s.world.subject, s.world.plan, "").Spec.Template.Spec
	if len(spec.Volumes) != 1 || spec.Volumes[0].ConfigMap.Name != planName(s.world.plan.job) {
		t.Errorf("volumes %v, want the plan alone", spec.Volumes)
	}
}

func TestThePlanConfigMapHoldsWhatAWorkerNeeds(t *testing.T) {
	s := newScene(t)
	cm := makePlanConfigMap(s.world.subject, s.world.plan)
	plan, err := experiment.DecodePlan([]byte(cm.Data[worker.PlanFile]))
	if err != nil {
		t.Fatal(err)
	}
	if plan.Hash() != s.world.plan.hash {
		t.Errorf("plan %s, want %s", plan.Hash(), s.world.plan.hash)
	}
	var owner worker.Owner
	if err := json.Unmarshal([]byte(cm.Data[worker.OwnerFile]), &owner); err != nil {
		t.Fatal(err)
	}
	want := worker.Owner{
		Namespace: "team-a",
		Labels:    childLabels(s.world.subject, ComponentResult, s.world.plan.hash),
		Reference: ownerReference(s.world.subject),
		Prefix:    s.world.plan.job,
	}
	if diff := cmp.Diff(want, owner); diff != "" {
		t.Errorf("owner (-want +got):\n%s", diff)
	}
}
