// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"slices"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
)

// scene is a world that a test sets up by hand: a sweep of four simulations in
// two shards, whose account and plan are there.
type scene struct {
	t     testing.TB
	world *world
	// chunks are what the workers would write, by shard.
	chunks [][]experiment.Chunk
}

func newScene(t testing.TB) *scene {
	s := sweepSubject(weights().Obj())
	s.object().SetNamespace("team-a")
	compiled, errs, err := s.compile(t.Context(), clusterInputs{})
	if err != nil || len(errs) > 0 {
		t.Fatal(err, errs)
	}
	p := newPlanned(compiled.Plan, compiled.Plan.Encode(), s)
	sc := &scene{t: t, world: &world{
		subject: s,
		image:   "windtunnel:test",
		plan:    p,
		chunks:  map[string]chunk{},
		account: account{serviceAccount: true, roleBinding: true},
	}}
	cm := makePlanConfigMap(s, p)
	sc.world.configMaps = []metav1.PartialObjectMetadata{{ObjectMeta: cm.ObjectMeta}}
	for shard := range p.shards {
		simulations, err := p.Simulate(t.Context(), nil, p.round, p.round.Shard(shard, p.shards).Indices(), experiment.Options{Parallelism: 1})
		if err != nil {
			t.Fatal(err)
		}
		chunks, err := experiment.Chunks(simulations)
		if err != nil {
			t.Fatal(err)
		}
		sc.chunks = append(sc.chunks, chunks)
	}
	return sc
}

// references are what the worker of a shard reports.
func (s *scene) references(shard int) []v1alpha1.ResultReference {
	var references []v1alpha1.ResultReference
	for i, c := range s.chunks[shard] {
		references = append(references, v1alpha1.ResultReference{
			Name: fmt.Sprintf("%s-%d-%d-%s", s.world.plan.job, shard, i, c.SHA256()[:8]), Rows: int64(c.Rows), SHA256: c.SHA256(),
		})
	}
	return references
}

// job adds the plan's Job.
func (s *scene) job(change ...func(*batchv1.Job)) *scene {
	job := makeJob(s.world.subject, s.world.plan, s.world.image)
	job.UID = "job-uid"
	for _, f := range change {
		f(job)
	}
	s.world.jobs = append(s.world.jobs, job)
	return s
}

func ended(typ batchv1.JobConditionType) func(*batchv1.Job) {
	return func(job *batchv1.Job) {
		job.Status.Conditions = []batchv1.JobCondition{{Type: typ, Status: corev1.ConditionTrue, Reason: "Because", Message: "the Job said so"}}
	}
}

// pod adds a pod of a shard.
func (s *scene) pod(shard int, change ...func(*corev1.Pod)) *scene {
	pod := corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Name:        fmt.Sprintf("pod-%d-%d", shard, len(s.world.pods)),
		UID:         types.UID(fmt.Sprintf("pod-%d", len(s.world.pods))),
		Annotations: map[string]string{batchv1.JobCompletionIndexAnnotation: fmt.Sprint(shard)},
	}}
	pod.Status.Phase = corev1.PodPending
	for _, f := range change {
		f(&pod)
	}
	s.world.pods = append(s.world.pods, pod)
	return s
}

func running(pod *corev1.Pod) { pod.Status.Phase = corev1.PodRunning }

func exited(code int32, message string) func(*corev1.Pod) {
	return func(pod *corev1.Pod) {
		pod.Status.Phase = corev1.PodSucceeded
		if code != 0 {
			pod.Status.Phase = corev1.PodFailed
		}
		pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: workerContainer, State: corev1.ContainerState{
			Terminated: &corev1.ContainerStateTerminated{ExitCode: code, Reason: "Error", Message: message},
		}}}
	}
}

// done adds the succeeded pod of a shard, and its results as they were read.
func (s *scene) done(shard int, change ...func(*experiment.Report, map[string]chunk)) *scene {
	r := experiment.Report{PlanHash: s.world.plan.hash, Shard: shard, Chunks: s.references(shard)}
	for i, c := range s.chunks[shard] {
		s.world.chunks[r.Chunks[i].Name] = chunk{Chunk: c, found: true, owned: true, sealed: true}
	}
	for _, f := range change {
		f(&r, s.world.chunks)
	}
	return s.pod(shard, exited(0, report(r)))
}

// named writes a shard's results into the status, as if verified before.
func (s *scene) named(shard int) *scene {
	st := s.world.subject.status()
	st.ObservedGeneration, st.PlanHash = 1, s.world.plan.hash
	st.Results = append(st.Results, s.references(shard)...)
	return s
}

// spec changes the spec; the plan stays.
func (s *scene) spec(change func(*v1alpha1.PolicySweepSpec)) *scene {
	change(&s.world.subject.(sweep).Spec)
	return s
}

// decided is a decision in words.
type decided struct {
	Acts    []string
	Cleanup []string
	Types   []string
	Reason  string
	Message string
}

func (s *scene) decide() decided {
	d := decide(s.world, epoch)
	var out decided
	for _, a := range d.acts {
		out.Acts = append(out.Acts, a.String())
	}
	for _, a := range d.cleanup {
		out.Cleanup = append(out.Cleanup, a.String())
	}
	if d.status == nil {
		return out
	}
	for _, c := range d.status.status().Conditions {
		if c.Status == metav1.ConditionTrue && c.Type != v1alpha1.ConditionLinted {
			out.Types = append(out.Types, c.Type)
		}
		if c.Type == v1alpha1.ConditionReady {
			out.Reason, out.Message = c.Reason, c.Message
		}
	}
	slices.Sort(out.Types)
	return out
}

// deleting marks an object as being deleted.
func deleting[T metav1.Object](o T) { o.SetDeletionTimestamp(ptr.To(metav1.NewTime(epoch))) }
