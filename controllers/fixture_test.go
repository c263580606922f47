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
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/store"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/worker"
)

// fixture is an observation that a test sets up by hand: a sweep of four simulations in
// two shards, whose account and plan are there.
type fixture struct {
	t           testing.TB
	observation *observation
	// rows has what the observation is to know of results.
	rows *studyRows
	// simulations are what the workers would find, by shard.
	simulations [][]experiment.Simulation
}

func newFixture(t testing.TB) *fixture {
	s := sweepSubject(weights().Obj())
	s.object().SetNamespace("team-a")
	compiled, errs, err := s.compile(t.Context(), clusterInputs{})
	if err != nil || len(errs) > 0 {
		t.Fatal(err, errs)
	}
	p := newSubjectPlan(hashPlan(compiled.Plan), s)
	sc := &fixture{t: t, observation: &observation{
		subject:  s,
		image:    "windtunnel:test",
		plan:     p,
		children: observedChildren{account: workerAccount{serviceAccount: true, roleBinding: true}},
	}}
	sc.rows, err = newStudyRows(p)
	if err != nil {
		t.Fatal(err)
	}
	cm := makePlanConfigMap(s, p)
	sc.observation.children.configMaps = []metav1.PartialObjectMetadata{{ObjectMeta: cm.ObjectMeta}}
	round := sc.rows.study.Round()
	for shard := range shards {
		simulations, err := execute.Simulate(t.Context(), p.hashedPlan.Plan, nil, round, round.Part(round.All().Indices(), shard, shards), execute.Options{Parallelism: 1})
		if err != nil {
			t.Fatal(err)
		}
		sc.simulations = append(sc.simulations, simulations)
	}
	return sc
}

// shards is how many a fixture has.
const shards = 2

// results is the list that the worker of a shard writes.
func (s *fixture) results(shard int) store.Reference {
	return store.Reference{Name: fmt.Sprintf("list-%d", shard), Rows: len(s.simulations[shard]), SHA256: experiment.Digest([]byte{byte(shard)})}
}

// task is what there is to do in the fixture before anything is done.
func (s *fixture) task() *task {
	j, err := newStudyRows(s.observation.plan)
	if err != nil {
		s.t.Fatal(err)
	}
	return newTask(s.observation.subject, s.observation.plan, j.state(), 0)
}

// job adds the Job of the first round, and its ConfigMap.
func (s *fixture) job(change ...func(*batchv1.Job)) *fixture {
	job := makeJob(s.observation.subject, s.observation.plan, s.task(), s.observation.image)
	job.UID = "job-uid"
	for _, f := range change {
		f(job)
	}
	s.observation.children.jobs = append(s.observation.children.jobs, job)
	cm := makeRoundConfigMap(s.observation.subject, s.observation.plan, s.task())
	s.observation.children.configMaps = append(s.observation.children.configMaps, metav1.PartialObjectMetadata{ObjectMeta: cm.ObjectMeta})
	return s
}

func ended(typ batchv1.JobConditionType) func(*batchv1.Job) {
	return func(job *batchv1.Job) {
		job.Status.Conditions = []batchv1.JobCondition{{Type: typ, Status: corev1.ConditionTrue, Reason: "Because", Message: "the Job said so"}}
	}
}

// pod adds a pod of a shard.
func (s *fixture) pod(shard int, change ...func(*corev1.Pod)) *fixture {
	pod := corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Name:        fmt.Sprintf("pod-%d-%d", shard, len(s.observation.job.pods)),
		UID:         types.UID(fmt.Sprintf("pod-%d", len(s.observation.job.pods))),
		Annotations: map[string]string{batchv1.JobCompletionIndexAnnotation: fmt.Sprint(shard)},
	}}
	pod.Status.Phase = corev1.PodPending
	for _, f := range change {
		f(&pod)
	}
	s.observation.job.pods = append(s.observation.job.pods, pod)
	return s
}

func running(pod *corev1.Pod) { pod.Status.Phase = corev1.PodRunning }

func exited(code int32, message string) func(*corev1.Pod) {
	return func(pod *corev1.Pod) {
		pod.Status.Phase = corev1.PodSucceeded
		if code != 0 {
			pod.Status.Phase = corev1.PodFailed
		}
		pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: worker.Container, State: corev1.ContainerState{
			Terminated: &corev1.ContainerStateTerminated{ExitCode: code, Reason: "Error", Message: message},
		}}}
	}
}

// done adds the succeeded pod of a shard, and its rows as they were read.
func (s *fixture) done(shard int, change ...func(*store.Report)) *fixture {
	results := s.results(shard)
	r := store.Report{PlanHash: s.observation.plan.hash, Shard: shard, Results: &results}
	for _, f := range change {
		f(&r)
	}
	return s.read(shard).pod(shard, exited(0, encodedReport(r)))
}

// read adds the rows of a shard.
func (s *fixture) read(shard int) *fixture {
	rows := make([]result.Row, len(s.simulations[shard]))
	for i := range rows {
		rows[i] = s.simulations[shard][i].Row
	}
	ref := store.Reference{Name: fmt.Sprintf("chunk-%d", shard), Rows: len(rows)}
	if s.rows.sources[ref.Name] == nil {
		s.rows.addChunk(&source{Reference: ref, own: true}, rows)
	}
	return s
}

// spec changes the spec; the plan stays.
func (s *fixture) spec(change func(*v1alpha1.PolicySweepSpec)) *fixture {
	change(&s.observation.subject.(sweep).Spec)
	return s
}

// look has the observation know what the rows and the pods say.
func (s *fixture) look() {
	w := s.observation
	if w.plan == nil {
		return
	}
	if err := s.rows.advance(); err != nil {
		s.t.Fatal(err)
	}
	w.results.study = s.rows.state()
	if w.results.study.round == nil {
		return
	}
	w.job.podsAlive = false
	if job := w.currentJob(); job != nil {
		w.job.reports = newReports(w.plan, 0, shardsOf(job), w.job.pods)
		w.results.study.fault = w.job.reports.fault
		w.job.podsAlive = slices.ContainsFunc(w.job.pods, func(pod corev1.Pod) bool { return mayStillReport(&pod, epoch) })
	}
	w.task = w.nextTask()
}

// decided is a decision in words.
type decided struct {
	Acts    []string
	Cleanup []string
	Types   []string
	Reason  string
	Message string
}

func (s *fixture) decide() decided {
	s.look()
	d := decide(s.observation, epoch)
	var out decided
	for _, a := range d.actions {
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
