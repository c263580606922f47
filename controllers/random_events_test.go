// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"bytes"
	stdcmp "cmp"
	"compress/gzip"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/testing/builder"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/store"
	"windtunnel.dev/windtunnel/pkg/result"
)

// randomEvents does random things to a cluster in which a sweep is being run.
type randomEvents struct {
	*cluster
	rand  *rand.Rand
	sweep *v1alpha1.PolicySweep
}

// things are what may happen between two reconciles, in words.
var things = []struct {
	name string
	do   func(*randomEvents)
}{
	{"the user changes the seeds", func(c *randomEvents) {
		edit(c.cluster, c.sweep, func(s *v1alpha1.PolicySweep) { s.Spec.Replications.Seeds = []int64{1, 2}[:1+c.rand.IntN(2)] })
	}},
	{"the user changes the shards", func(c *randomEvents) {
		edit(c.cluster, c.sweep, func(s *v1alpha1.PolicySweep) { s.Spec.Execution.Shards = 1 + c.rand.Int32N(3) })
	}},
	{"the user suspends or resumes", func(c *randomEvents) {
		edit(c.cluster, c.sweep, func(s *v1alpha1.PolicySweep) { s.Spec.Execution.Suspend = !s.Spec.Execution.Suspend })
	}},
	{"the user breaks or mends the path", func(c *randomEvents) {
		edit(c.cluster, c.sweep, func(s *v1alpha1.PolicySweep) {
			s.Spec.Parameters[0].Path = []string{replicasPath, replicasPath, "pools[lama].replicas"}[c.rand.IntN(3)]
		})
	}},
	{"the user takes the profile from a ConfigMap or from the spec", func(c *randomEvents) {
		edit(c.cluster, c.sweep, func(s *v1alpha1.PolicySweep) {
			from := []builder.ScenarioEdit{builder.PickerConfig(builder.DefaultPickerConfig), builder.PickerConfigFrom("profiles", "p")}
			from[c.rand.IntN(2)](&s.Spec.Scenario)
		})
	}},
	{"the ConfigMap appears or goes", func(c *randomEvents) {
		cm := &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Namespace: "team-a", Name: "profiles"},
			Data:       map[string]string{"p": builder.DefaultPickerConfig},
		}
		if err := c.client.Create(c.t.Context(), cm); err != nil {
			c.must(c.client.Delete(c.t.Context(), cm))
		}
	}},
	{"a pod starts", func(c *randomEvents) { c.start() }},
	{"a shard ends", func(c *randomEvents) { c.end(func(job *batchv1.Job, index int) { c.succeed(job, index) }) }},
	{"a shard ends", func(c *randomEvents) { c.end(func(job *batchv1.Job, index int) { c.succeed(job, index) }) }},
	{"a shard is stopped", func(c *randomEvents) {
		c.end(func(job *batchv1.Job, index int) {
			pod := c.startPod(job, index)
			c.stop(job, pod, c.rand.IntN(3))
			if c.rand.IntN(2) == 0 {
				c.goes(pod)
			}
		})
	}},
	{"all pods are stopped", func(c *randomEvents) { c.stopAll() }},
	{"a shard ends without a word", func(c *randomEvents) {
		c.end(func(job *batchv1.Job, index int) { c.endPod(c.startPod(job, index), 0, "Completed", "") })
	}},
	{"a shard dies", func(c *randomEvents) {
		c.end(func(job *batchv1.Job, index int) { c.endPod(c.startPod(job, index), 137, "OOMKilled", "") })
	}},
	{"a shard reports what is not its own", func(c *randomEvents) {
		c.end(func(job *batchv1.Job, index int) {
			c.endPod(c.startPod(job, index), 0, "Completed", encodedReport(store.Report{PlanHash: "another", Shard: index}))
		})
	}},
	{"the Job gives up", func(c *randomEvents) {
		c.withJob(func(job *batchv1.Job) { c.endJob(job, batchv1.JobFailed, "FailedIndexes", "Job has failed indexes", 0) })
	}},
	{"the user allows or forbids a shard to fail", func(c *randomEvents) {
		edit(c.cluster, c.sweep, func(s *v1alpha1.PolicySweep) { s.Spec.Execution.MaxFailedShards = c.rand.Int32N(2) })
	}},
	{"the user sets a deadline or takes it back", func(c *randomEvents) {
		edit(c.cluster, c.sweep, func(s *v1alpha1.PolicySweep) {
			s.Spec.Execution.ActiveDeadlineSeconds = []*int64{nil, ptr.To[int64](600)}[c.rand.IntN(2)]
		})
	}},
	{"the user sets a TTL or takes it back", func(c *randomEvents) {
		edit(c.cluster, c.sweep, func(s *v1alpha1.PolicySweep) {
			s.Spec.Execution.TTLSecondsAfterFinished = []*int32{nil, ptr.To[int32](0), ptr.To[int32](60)}[c.rand.IntN(3)]
		})
	}},
	{"some minutes pass", func(c *randomEvents) {
		c.clock.SetTime(c.clock.Now().Add(time.Duration(c.rand.IntN(10)) * time.Minute))
	}},
	{"the clock is set back", func(c *randomEvents) { c.clock.SetTime(c.clock.Now().Add(-time.Minute)) }},
	{"the Job completes", func(c *randomEvents) {
		c.withJob(func(job *batchv1.Job) { c.endJob(job, batchv1.JobComplete, "", "") })
	}},
	{"Kueue suspends or admits", func(c *randomEvents) {
		c.withJob(func(job *batchv1.Job) {
			job.Spec.Suspend = ptr.To(!isSuspended(job))
			c.must(c.client.Update(c.t.Context(), job))
		})
	}},
	{"somebody deletes a child", func(c *randomEvents) {
		children := c.children()
		if len(children) > 0 {
			c.must(c.client.Delete(c.t.Context(), children[c.rand.IntN(len(children))]))
			c.collectGarbage()
		}
	}},
	{"somebody takes a result away from its owner", func(c *randomEvents) {
		for _, cm := range c.configMaps() {
			if cm.Labels[LabelComponent] == ComponentResult {
				cm.OwnerReferences = nil
				c.must(c.client.Update(c.t.Context(), &cm))
				return
			}
		}
	}},
	{"the manager starts anew", func(c *randomEvents) { c.restart() }},
	{"the manager is killed after some writes", func(c *randomEvents) {
		c.writesLeft = c.rand.IntN(4)
		w, d := c.decide(c.sweep)
		_ = c.reconcilers[v1alpha1.PolicySweepKind].applier.apply(c.t.Context(), w, d, c.clock.Now())
		c.restart()
	}},
}

// withJob calls do with a Job that has not ended, if there is one.
func (c *randomEvents) withJob(do func(*batchv1.Job)) {
	for _, job := range c.jobs() {
		if done, _ := finished(&job); !done {
			do(&job)
			return
		}
	}
}

// start starts a pod of a random index.
func (c *randomEvents) start() {
	c.withJob(func(job *batchv1.Job) { c.startPod(job, c.rand.IntN(int(*job.Spec.Completions))) })
}

// end lets an index end that has not ended well yet.
func (c *randomEvents) end(do func(*batchv1.Job, int)) {
	c.withJob(func(job *batchv1.Job) {
		if plan := (&corev1.ConfigMap{}); c.client.Get(c.t.Context(), client.ObjectKey{Namespace: job.Namespace, Name: roundName(job.Name)}, plan) != nil {
			return
		}
		for index := range int(*job.Spec.Completions) {
			if !slices.ContainsFunc(c.pods(), func(pod corev1.Pod) bool {
				i, _ := completionIndex(&pod)
				return i == index && pod.Status.Phase == corev1.PodSucceeded && metav1.IsControlledBy(&pod, job)
			}) {
				do(job, index)
				return
			}
		}
	})
}

// stopAll stops the pods that run.
func (c *randomEvents) stopAll() {
	for _, pod := range c.pods() {
		if mayStillReport(&pod, c.clock.Now()) {
			c.endPod(&pod, 130, "Error", "")
		}
	}
}

// children are all objects that somebody may delete.
func (c *randomEvents) children() []client.Object {
	var all []client.Object
	for _, job := range c.jobs() {
		all = append(all, &job)
	}
	for _, pod := range c.pods() {
		all = append(all, &pod)
	}
	for _, cm := range c.configMaps() {
		all = append(all, &cm)
	}
	var accounts corev1.ServiceAccountList
	c.must(c.client.List(c.t.Context(), &accounts))
	var bindings rbacv1.RoleBindingList
	c.must(c.client.List(c.t.Context(), &bindings))
	for i := range accounts.Items {
		all = append(all, &accounts.Items[i])
	}
	for i := range bindings.Items {
		all = append(all, &bindings.Items[i])
	}
	return all
}

// TestRandomEvents lets random things happen, and checks after each reconcile
// that nothing is left to do and that the status makes sense. In the end nothing
// happens any more, and the sweep must complete with the rows that it has on a
// laptop.
func TestRandomEvents(t *testing.T) {
	worlds, steps := 20, 40
	if testing.Short() {
		worlds = 5
	}
	for seed := range uint64(worlds) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			c := &randomEvents{cluster: newCluster(t), rand: rand.New(rand.NewPCG(seed, 1)), sweep: weights().Obj()}
			c.create(c.sweep)
			before := c.subject(c.sweep)
			var history []string
			for range steps {
				thing := things[c.rand.IntN(len(things))]
				history = append(history, thing.name)
				thing.do(c)
				c.cluster.reconcile(c.sweep)
				after := c.subject(c.sweep)
				if words := nonsense(before, after); words != "" || len(c.jobs()) > 1 {
					t.Fatalf("%s; %d Jobs; after %v\nbefore: %s\nafter: %s", words, len(c.jobs()), history, statusLine(before), statusLine(after))
				}
				before = after
			}
			c.settle()
		})
	}
}

// nonsense says what is wrong with the way from one status to the next.
func nonsense(before, after subject) string {
	st := after.status()
	for _, c := range st.Conditions {
		if c.ObservedGeneration != st.ObservedGeneration || st.ObservedGeneration != after.object().GetGeneration() {
			return "observedGeneration differs"
		}
		if c.Type != v1alpha1.ConditionReady && c.Status != metav1.ConditionTrue {
			return c.Type + " is there and not True"
		}
	}
	if meta.FindStatusCondition(st.Conditions, v1alpha1.ConditionReady) == nil {
		return "there is no condition Ready"
	}
	if isTrue(st, v1alpha1.ConditionComplete) && (st.Progress.Completed != st.Progress.Total || !isTrue(st, v1alpha1.ConditionReady)) {
		return "complete without all results"
	}
	if r := st.Results; r != nil && r.Partial != (isTrue(st, v1alpha1.ConditionFailed) && r.Rows < st.Progress.Total) {
		return "partial is wrong"
	}
	if isTrue(st, v1alpha1.ConditionComplete) || isTrue(st, v1alpha1.ConditionFailed) {
		if st.CompletionTime == nil || st.StartTime == nil {
			return "it ended without a time"
		}
	} else if st.CompletionTime != nil {
		return "it has not ended, and has a time for that"
	}
	was := before.status()
	if settled(before) && before.object().GetGeneration() == after.object().GetGeneration() {
		if diff := cmp.Diff(withoutChanges(before), withoutChanges(after)); diff != "" {
			return "a settled status changed: " + diff
		}
	}
	if was.PlanHash == st.PlanHash && was.ObservedGeneration == st.ObservedGeneration && was.Progress != nil && was.Progress.Completed > st.Progress.Completed {
		return "progress fell"
	}
	return ""
}

// withoutChanges is a subject without what its status says of inputs and of results
// that changed, which may come and go after its end.
func withoutChanges(s subject) client.Object {
	c := s.deepCopied()
	meta.RemoveStatusCondition(&c.status().Conditions, v1alpha1.ConditionInputsChanged)
	meta.RemoveStatusCondition(&c.status().Conditions, v1alpha1.ConditionResultsDamaged)
	c.object().SetResourceVersion("")
	return c.object()
}

// settle lets everything end well, and checks what comes out.
func (c *randomEvents) settle() {
	c.t.Helper()
	edit(c.cluster, c.sweep, func(s *v1alpha1.PolicySweep) {
		s.Spec = weights().Seeds(1, 2, 3).Shards(3).Obj().Spec
	})
	c.stopAll()
	c.cluster.reconcile(c.sweep)
	for _, index := range c.open(c.job()) {
		c.succeed(c.job(), index)
		c.cluster.reconcile(c.sweep)
	}
	s := c.subject(c.sweep)
	if !isTrue(s.status(), v1alpha1.ConditionComplete) {
		c.t.Fatalf("it does not complete: %s", statusLine(s))
	}
	if diff := cmp.Diff(localRows(c.t, s), c.rows(s)); diff != "" {
		c.t.Errorf("rows (-local +cluster):\n%s", diff)
	}
	var names []string
	for _, ref := range c.chunks(s) {
		names = append(names, ref.Name)
	}
	slices.Sort(names)
	owned := slices.DeleteFunc(c.results(), func(name string) bool {
		var cm corev1.ConfigMap
		c.must(c.client.Get(c.t.Context(), client.ObjectKey{Namespace: "team-a", Name: name}, &cm))
		return len(cm.OwnerReferences) == 0
	})
	if diff := cmp.Diff(names, owned); diff != "" {
		c.t.Errorf("result ConfigMaps (-listed in the index +there):\n%s", diff)
	}
}

// chunks are what the index lists that a status names.
func (c *cluster) chunks(s subject) []store.Reference {
	c.t.Helper()
	st := s.status().Results
	if st == nil {
		return nil
	}
	own := resultReader{reader: c.client, namespace: s.object().GetNamespace(), owner: s}
	index, f, err := own.index(c.t.Context(), st.Index, st.SHA256)
	if err != nil || f != nil {
		c.t.Fatal(err, f)
	}
	return index.Chunks
}

// rows are those of the results that a status names, in order.
func (c *cluster) rows(s subject) string {
	c.t.Helper()
	var all []result.Row
	for _, ref := range c.chunks(s) {
		var cm corev1.ConfigMap
		c.must(c.client.Get(c.t.Context(), client.ObjectKey{Namespace: s.object().GetNamespace(), Name: ref.Name}, &cm))
		rows, err := store.Chunk{Binary: cm.BinaryData}.Decode()
		c.must(err)
		all = append(all, rows...)
	}
	return inOrder(c.t, all)
}

// inOrder writes rows by point, share and seed.
func inOrder(t testing.TB, rows []result.Row) string {
	t.Helper()
	slices.SortFunc(rows, func(a, b result.Row) int {
		return stdcmp.Or(a.Point-b.Point, stdcmp.Compare(a.Share, b.Share), int(a.Seed-b.Seed))
	})
	var b bytes.Buffer
	if err := result.WriteRows(&b, rows); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// lines are the rows that a ConfigMap holds.
func (c *cluster) lines(cm *corev1.ConfigMap) string {
	c.t.Helper()
	lines, err := store.Chunk{Binary: cm.BinaryData}.Lines()
	c.must(err)
	return string(lines)
}

// packed compresses rows as a chunk has them.
func packed(lines string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(lines)) // into memory
	_ = z.Close()
	return b.Bytes()
}

// localRows are the rows of a sweep without a cluster.
func localRows(t testing.TB, s subject) string {
	t.Helper()
	compiled, errs, err := s.compile(t.Context(), clusterInputs{})
	if err != nil || len(errs) > 0 {
		t.Fatal(err, errs)
	}
	conducted, err := execute.RunLocally(t.Context(), compiled.Plan, compiled.Traces, execute.Options{Parallelism: 1})
	if err != nil {
		t.Fatal(err)
	}
	return inOrder(t, conducted.Rows())
}
