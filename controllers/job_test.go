// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/testing/golden"
	"windtunnel.dev/windtunnel/internal/testing/jsontest"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
	"windtunnel.dev/windtunnel/pkg/worker"
)

// TestMakeJob compares the Job of a sweep of a trace with testdata/job.yaml,
// which is easier to review than Go.
func TestMakeJob(t *testing.T) {
	object := weights().Label(LabelQueue, "team-queue").Obj()
	object.Spec.Execution.Resources.Limits = corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("4Gi")}
	s := sweepSubject(object)
	trace := &experiment.TraceInput{ConfigMap: &v1alpha1.ConfigMapKeyReference{Name: "traces", Key: "hour.jsonl.gz"}}
	p := &subjectPlan{
		hashedPlan: &hashedPlan{Plan: &experiment.Plan{Trace: trace}, hash: strings.Repeat("0123456789abcdef", 4)},
		prefix:     "weights-76543210",
	}
	raw, err := yaml.Marshal(makeJob(s, p, &task{job: "weights-01234567", round: 3, shards: 2}, "windtunnel:v1"))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("testdata", "job.yaml")
	golden.Check(t, file, raw)
}

func TestWithoutATraceNothingIsMountedButThePlanAndTheRound(t *testing.T) {
	s := newFixture(t)
	spec := makeJob(s.observation.subject, s.observation.plan, s.task(), "").Spec.Template.Spec
	if len(spec.Volumes) != 2 || spec.Volumes[0].ConfigMap.Name != planName(s.observation.plan.prefix) || spec.Volumes[1].ConfigMap.Name != roundName(s.task().job) {
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
			s := newFixture(t)
			spec := makeJob(s.observation.subject, &subjectPlan{hashedPlan: hashPlan(&experiment.Plan{Trace: tc.trace})}, s.task(), "").Spec.Template.Spec
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

func TestSeveralTracesAreMountedEachInAFolder(t *testing.T) {
	s := newFixture(t)
	traces := []*experiment.TraceInput{
		{Source: "day", ConfigMap: &v1alpha1.ConfigMapKeyReference{Name: "traces", Key: "day.jsonl"}},
		{Source: "night", PersistentVolumeClaim: &v1alpha1.VolumeClaimFile{ClaimName: "traces", Path: "night.jsonl"}},
	}
	spec := makeJob(s.observation.subject, &subjectPlan{hashedPlan: hashPlan(&experiment.Plan{Traces: traces})}, s.task(), "").Spec.Template.Spec
	want := []corev1.VolumeMount{
		{Name: "inputs-0", MountPath: inputsFolder + "/0", ReadOnly: true},
		{Name: "inputs-1", MountPath: inputsFolder + "/1", ReadOnly: true},
	}
	if diff := cmp.Diff(want, spec.Containers[0].VolumeMounts[2:4]); diff != "" {
		t.Errorf("mounts (-want +got):\n%s", diff)
	}
	for i, in := range traces {
		if diff := cmp.Diff(corev1.Volume{Name: want[i].Name, VolumeSource: traceVolume(in)}, spec.Volumes[2+i]); diff != "" {
			t.Errorf("volume %d (-want +got):\n%s", i, diff)
		}
	}
}

// TestWhatTheSpecPassesOnToItsJob compares the Job of a spec that passes something on
// with the Job of one that does not.
func TestWhatTheSpecPassesOnToItsJob(t *testing.T) {
	made := func(change func(*v1alpha1.PolicySweep)) *batchv1.Job {
		sweep := weights().Obj()
		change(sweep)
		p := &subjectPlan{hashedPlan: &hashedPlan{Plan: &experiment.Plan{}, hash: strings.Repeat("0123456789abcdef", 4)}, prefix: "weights-76543210"}
		return makeJob(sweepSubject(sweep), p, &task{job: "weights-01234567", shards: 2}, "windtunnel:v1")
	}
	tests := map[string]struct {
		spec func(*v1alpha1.PolicySweep)
		want func(*batchv1.Job)
	}{
		"labels and annotations of pods, but the operator's own": {
			func(s *v1alpha1.PolicySweep) {
				s.Spec.Execution.PodOverrides.Labels = map[string]v1alpha1.LabelValue{"team": "a", LabelKind: "mine"}
				s.Spec.Execution.PodOverrides.Annotations = map[string]v1alpha1.AnnotationValue{"sidecar.istio.io/inject": "false"}
			},
			func(job *batchv1.Job) {
				job.Spec.Template.Labels = with(job.Spec.Template.Labels, "team", "a")
				job.Spec.Template.Annotations = map[string]string{"sidecar.istio.io/inject": "false"}
			},
		},
		"where pods run": {
			func(s *v1alpha1.PolicySweep) {
				o := &s.Spec.Execution.PodOverrides
				o.NodeSelector = map[string]v1alpha1.LabelValue{"pool": "spot"}
				o.Tolerations = []corev1.Toleration{{Key: "spot", Operator: corev1.TolerationOpExists}}
				o.PriorityClassName, o.RuntimeClassName = "low", "gvisor"
				o.ImagePullSecrets = []corev1.LocalObjectReference{{Name: "registry"}}
			},
			func(job *batchv1.Job) {
				spec := &job.Spec.Template.Spec
				spec.NodeSelector = map[string]string{"pool": "spot"}
				spec.Tolerations = []corev1.Toleration{{Key: "spot", Operator: corev1.TolerationOpExists}}
				spec.PriorityClassName, spec.RuntimeClassName = "low", ptr.To("gvisor")
				spec.ImagePullSecrets = []corev1.LocalObjectReference{{Name: "registry"}}
			},
		},
		"who runs the Job": {
			func(s *v1alpha1.PolicySweep) { s.Spec.Execution.ManagedBy = "kueue.x-k8s.io/multikueue" },
			func(job *batchv1.Job) { job.Spec.ManagedBy = ptr.To("kueue.x-k8s.io/multikueue") },
		},
		"Kueue's queue and priority, and no other label; pods have none of them": {
			func(s *v1alpha1.PolicySweep) {
				s.Labels = map[string]string{LabelQueue: "team-queue", LabelQueuePriority: "low", "app": "mine"}
			},
			func(job *batchv1.Job) {
				job.Labels = with(with(job.Labels, LabelQueue, "team-queue"), LabelQueuePriority, "low")
			},
		},
		"that it is held, and who holds it": {
			func(s *v1alpha1.PolicySweep) { s.Spec.Execution.Suspend = true },
			func(job *batchv1.Job) {
				job.Spec.Suspend = ptr.To(true)
				job.Annotations[AnnotationSuspend] = "true"
			},
		},
		"retries": {
			func(s *v1alpha1.PolicySweep) { s.Spec.Execution.RetriesPerShard = ptr.To[int32](0) },
			func(job *batchv1.Job) { job.Spec.BackoffLimitPerIndex = ptr.To[int32](0) },
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			want, got := made(func(*v1alpha1.PolicySweep) {}), made(tc.spec)
			tc.want(want)
			if got.Annotations[AnnotationExecution] == "" {
				t.Error("the Job does not say how it is run")
			}
			want.Annotations[AnnotationExecution] = got.Annotations[AnnotationExecution]
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("Job (-want +got):\n%s", diff)
			}
		})
	}
}

// A Job that somebody else holds is replaced by one that they hold.
func TestAHeldJobIsReplacedByAHeldOne(t *testing.T) {
	s := newFixture(t)
	held := *s.task()
	held.held, held.losses = true, 2
	job := makeJob(s.observation.subject, s.observation.plan, &held, "")
	if !isSuspended(job) || lastWantedSuspended(job) || lossesOf(job) != 2 {
		t.Errorf("suspend is %t, wanted %t, after %d losses", isSuspended(job), lastWantedSuspended(job), lossesOf(job))
	}
}

func TestPodResources(t *testing.T) {
	list := func(cpu, memory string) corev1.ResourceList {
		l := corev1.ResourceList{}
		for name, text := range map[corev1.ResourceName]string{corev1.ResourceCPU: cpu, corev1.ResourceMemory: memory} {
			if text != "" {
				l[name] = resource.MustParse(text)
			}
		}
		return l
	}
	gpu := list("1", "1Gi")
	gpu["nvidia.com/gpu"] = resource.MustParse("1")
	tests := map[string]struct {
		wanted, want corev1.ResourceRequirements
		cpus         int64
	}{
		"nothing": {
			want: corev1.ResourceRequirements{Requests: list("500m", "256Mi"), Limits: list("2", "2Gi")},
			cpus: 2,
		},
		"requests and limits": {
			wanted: corev1.ResourceRequirements{Requests: list("1", "1Gi"), Limits: list("8", "4Gi")},
			want:   corev1.ResourceRequirements{Requests: list("1", "1Gi"), Limits: list("8", "4Gi")},
			cpus:   8,
		},
		"requests above the limits that nobody set": {
			wanted: corev1.ResourceRequirements{Requests: list("4", "8Gi")},
			want:   corev1.ResourceRequirements{Requests: list("4", "8Gi"), Limits: list("4", "8Gi")},
			cpus:   4,
		},
		"limits below the requests that nobody set": {
			wanted: corev1.ResourceRequirements{Limits: list("250m", "128Mi")},
			want:   corev1.ResourceRequirements{Requests: list("250m", "128Mi"), Limits: list("250m", "128Mi")},
			cpus:   1,
		},
		"one of two": {
			wanted: corev1.ResourceRequirements{Limits: list("", "4Gi"), Requests: list("100m", "")},
			want:   corev1.ResourceRequirements{Requests: list("100m", "256Mi"), Limits: list("2", "4Gi")},
			cpus:   2,
		},
		"part of a CPU, for one simulation more": {
			wanted: corev1.ResourceRequirements{Limits: list("2500m", "1Gi")},
			want:   corev1.ResourceRequirements{Requests: list("500m", "256Mi"), Limits: list("2500m", "1Gi")},
			cpus:   3,
		},
		"more CPUs than nodes have": {
			wanted: corev1.ResourceRequirements{Limits: list("100000", "1Gi")},
			want:   corev1.ResourceRequirements{Requests: list("500m", "256Mi"), Limits: list("100000", "1Gi")},
			cpus:   256,
		},
		"others are passed on": {
			wanted: corev1.ResourceRequirements{Requests: gpu, Limits: gpu},
			want:   corev1.ResourceRequirements{Requests: gpu, Limits: gpu},
			cpus:   1,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			before := tc.wanted.DeepCopy()
			got := podResources(tc.wanted)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("resources (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(*before, tc.wanted); diff != "" {
				t.Errorf("the spec's were changed (-before +after):\n%s", diff)
			}
			if n := cpus(got); n != tc.cpus {
				t.Errorf("%d simulations at once, want %d", n, tc.cpus)
			}
			if limit := got.Limits.Memory().Value(); heap(got) >= limit || heap(got) < limit*8/10 {
				t.Errorf("a heap of %d bytes under a limit of %d", heap(got), limit)
			}
		})
	}
}

func TestTheConfigMapsHoldWhatAWorkerNeeds(t *testing.T) {
	s := newFixture(t)
	plan, err := experiment.DecodePlan([]byte(makePlanConfigMap(s.observation.subject, s.observation.plan).Data[worker.PlanFile]))
	if err != nil {
		t.Fatal(err)
	}
	if plan.Hash() != s.observation.plan.hash {
		t.Errorf("plan %s, want %s", plan.Hash(), s.observation.plan.hash)
	}
	cm := makeRoundConfigMap(s.observation.subject, s.observation.plan, s.task())
	work, err := experiment.DecodeWork(cm.BinaryData[worker.RoundFile])
	if err != nil {
		t.Fatal(err)
	}
	if _, which, err := study.Resume(plan, work); err != nil || len(which) != 4 {
		t.Errorf("simulations %v, %v; want all four", which, err)
	}
	owner := jsontest.Decode[worker.Owner](t, []byte(cm.Data[worker.OwnerFile]))
	want := worker.Owner{
		Namespace: "team-a",
		Labels:    childLabels(s.observation.subject, ComponentResult, s.observation.plan.hash),
		Reference: resultReference(s.observation.subject),
		Prefix:    s.task().job,
	}
	if diff := cmp.Diff(want, owner); diff != "" {
		t.Errorf("owner (-want +got):\n%s", diff)
	}
}
