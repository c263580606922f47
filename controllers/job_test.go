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
	trace := &experiment.TraceInput{ConfigMap: &v1alpha1.ConfigMapKeyReference{Name: "traces", Key: "hour.jsonl.gz"}}
	p := &planned{
		hashedPlan: &hashedPlan{Plan: &experiment.Plan{Trace: trace}, hash: strings.Repeat("0123456789abcdef", 4)},
		prefix:     "weights-76543210",
	}
	raw, err := yaml.Marshal(makeJob(s, p, &task{job: "weights-01234567", round: 3, shards: 2}, "windtunnel:v1"))
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

func TestWithoutATraceNothingIsMountedButThePlanAndTheRound(t *testing.T) {
	s := newScene(t)
	spec := makeJob(s.world.subject, s.world.plan, s.task(), "").Spec.Template.Spec
	if len(spec.Volumes) != 2 || spec.Volumes[0].ConfigMap.Name != planName(s.world.plan.prefix) || spec.Volumes[1].ConfigMap.Name != roundName(s.task().job) {
		t.Errorf("volumes %v, want the plan and the round alone", spec.Volumes)
	}
}

func TestATraceOfAVolumeIsMountedToBeRead(t *testing.T) {
	tests := map[string]struct {
		trace *experiment.TraceInput
		want  corev1.VolumeSource
	}{
		"a claim": {
			&experiment.TraceInput{PersistentVolumeClaim: &v1alpha1.VolumeClaimFile{ClaimName: "traces", Path: "2026/day.jsonl"}},
			corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "traces", ReadOnly: true}},
		},
		"an image": {
			&experiment.TraceInput{Image: &v1alpha1.ImageFile{Reference: "traces:v1", Path: "day.jsonl", PullPolicy: corev1.PullAlways}},
			corev1.VolumeSource{Image: &corev1.ImageVolumeSource{Reference: "traces:v1", PullPolicy: corev1.PullAlways}},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			spec := makeJob(s.world.subject, &planned{hashedPlan: hashPlan(&experiment.Plan{Trace: tc.trace})}, s.task(), "").Spec.Template.Spec
			if diff := cmp.Diff(corev1.Volume{Name: "inputs", VolumeSource: tc.want}, spec.Volumes[2]); diff != "" {
				t.Errorf("volume (-want +got):\n%s", diff)
			}
			want := corev1.VolumeMount{Name: "inputs", MountPath: inputsFolder, ReadOnly: true}
			if diff := cmp.Diff(want, spec.Containers[0].VolumeMounts[2]); diff != "" {
				t.Errorf("mount (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTheConfigMapsHoldWhatAWorkerNeeds(t *testing.T) {
	s := newScene(t)
	plan, err := experiment.DecodePlan([]byte(makePlanConfigMap(s.world.subject, s.world.plan).Data[worker.PlanFile]))
	if err != nil {
		t.Fatal(err)
	}
	if plan.Hash() != s.world.plan.hash {
		t.Errorf("plan %s, want %s", plan.Hash(), s.world.plan.hash)
	}
	cm := makeRoundConfigMap(s.world.subject, s.world.plan, s.task())
	work, err := experiment.DecodeWork(cm.BinaryData[worker.RoundFile])
	if err != nil {
		t.Fatal(err)
	}
	if _, which, err := plan.Resume(work); err != nil || len(which) != 4 {
		t.Errorf("simulations %v, %v; want all four", which, err)
	}
	var owner worker.Owner
	if err := json.Unmarshal([]byte(cm.Data[worker.OwnerFile]), &owner); err != nil {
		t.Fatal(err)
	}
	want := worker.Owner{
		Namespace: "team-a",
		Labels:    childLabels(s.world.subject, ComponentResult, s.world.plan.hash),
		Reference: resultReference(s.world.subject),
		Prefix:    s.task().job,
	}
	if diff := cmp.Diff(want, owner); diff != "" {
		t.Errorf("owner (-want +got):\n%s", diff)
	}
}
