// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/types"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/events"
	clocktesting "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment/store"
	"windtunnel.dev/windtunnel/pkg/worker"
)

func TestMain(m *testing.M) {
	log.SetLogger(logr.Discard())
	os.Exit(m.Run())
}

var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

var testScheme = Scheme()

// errKilled stands for the end of the manager's process.
var errKilled = errors.New("killed")

// cluster is a Kubernetes in memory: an API server without validation, and by
// hand what the Job controller, the kubelet and the garbage collector do.
type cluster struct {
	t      testing.TB
	client client.WithWatch
	clock  *clocktesting.FakePassiveClock
	// reconcilers keep their plans for the life of one process.
	reconcilers map[string]*reconciler
	recorder    *events.FakeRecorder
	uids        map[string]int
	attempts    int
	// writesLeft is how many writes the manager does before it is killed; below
	// 0 it lives.
	writesLeft int
	writes     []string
	// failWrite, unless nil, receives the manager's writes in place of the API server,
	// and carries out those that succeed.
	failWrite func(o client.Object, verb string, carryOut func() error) error
	// started, unless nil, is called when a manager has started.
	started func()
	// worked, unless nil, holds what workers wrote, so that a test that runs the
	// same shards again and again simulates them once.
	worked map[string]shardWork
	// state is the folder that outlives a manager.
	state string
}

// shardWork is what a worker wrote: its ConfigMaps, and its termination message.
type shardWork struct {
	configMaps []*corev1.ConfigMap
	message    string
}

func newCluster(t testing.TB) *cluster {
	c := &cluster{t: t, clock: clocktesting.NewFakePassiveClock(epoch), uids: map[string]int{}, writesLeft: -1}
	// A tracker without managed fields is several times as fast.
	tracker := clienttesting.NewObjectTracker(testScheme, serializer.NewCodecFactory(testScheme).UniversalDecoder())
	b := fake.NewClientBuilder().WithScheme(testScheme).WithObjectTracker(tracker).
		WithStatusSubresource(&v1alpha1.SimulationRun{}, &v1alpha1.PolicySweep{}, &batchv1.Job{}, &corev1.Pod{}).
		WithIndex(&batchv1.Job{}, indexOwner, ownerIndex).
		WithIndex(&corev1.Pod{}, indexOwner, ownerIndex).
		WithIndex(&corev1.ConfigMap{}, indexOwner, ownerIndex).
		WithIndex(&appsv1.Deployment{}, indexOwner, ownerIndex).
		WithIndex(&corev1.Service{}, indexOwner, ownerIndex).
		WithIndex(&networkingv1.NetworkPolicy{}, indexOwner, ownerIndex).
		WithIndex(&eventsv1.Event{}, "regarding.uid", func(o client.Object) []string { return []string{string(o.(*eventsv1.Event).Regarding.UID)} }).
		WithIndex(&eventsv1.Event{}, "type", func(o client.Object) []string { return []string{o.(*eventsv1.Event).Type} }).
		WithIndex(&v1alpha1.SimulationRun{}, indexOwner, ownerIndex).
		WithIndex(&v1alpha1.SimulationRun{}, indexConfigMap, runs.configMapIndex).
		WithIndex(&v1alpha1.PolicySweep{}, indexConfigMap, sweeps.configMapIndex).
		WithIndex(&v1alpha1.SimulationRun{}, indexReuse, runs.reuseIndex).
		WithIndex(&v1alpha1.PolicySweep{}, indexReuse, sweeps.reuseIndex).
		WithInterceptorFuncs(interceptor.Funcs{Create: func(ctx context.Context, w client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			// Names of children hold their owner's UID: the n-th object of a name has
			// the same one whatever else was created, or refused.
			id := fmt.Sprintf("%T-%s%s", o, o.GetName(), o.GetLabels()["conflict"])
			if o.GetUID() == "" {
				o.SetUID(types.UID(fmt.Sprintf("%s-%d", id, c.uids[id]+1)))
			}
			if _, isRun := o.(*v1alpha1.SimulationRun); isRun && o.GetGeneration() == 0 {
				o.SetGeneration(1)
			}
			o.SetCreationTimestamp(metav1.NewTime(c.clock.Now()))
			err := w.Create(ctx, o, opts...)
			if err == nil {
				c.uids[id]++
			}
			return err
		}})
	c.client, c.state = b.Build(), c.t.TempDir()
	c.restart()
	return c
}

// killedCompiling leaves what a manager leaves that is killed while it compiles an
// object, and starts another one.
func (c *cluster) killedCompiling(s subject) {
	c.t.Helper()
	c.must(c.client.Get(c.t.Context(), client.ObjectKeyFromObject(s.object()), s.object()))
	_, err := c.reconcilers[s.kind()].observer.compileGuard.begin(s)
	c.must(err)
	c.restart()
}

// restart starts a manager that remembers nothing.
func (c *cluster) restart() {
	c.recorder = events.NewFakeRecorder(10000)
	c.reconcilers = map[string]*reconciler{}
	c.writesLeft = -1
	guard, err := newCompileGuard(c.state, c.clock)
	c.must(err)
	lane := newSlowLane(time.Minute, time.Minute, c.clock)
	lane.credit = time.Hour // the clock of the cluster stands still
	for _, s := range []subjects{runs, sweeps} {
		counted := c.counted()
		reading := cached(c.t, counted)
		c.reconcilers[s.kind] = &reconciler{
			client:   reading,
			subjects: s,
			observer: &observer{cache: reading, live: counted, plans: newPlanCache(1 << 20), inputDigests: newInputDigests(), studies: newStudyCache(1000), deletedPods: &deletedPods{}, image: "windtunnel:test", clock: c.clock, lane: lane, compileGuard: guard},
			applier:  applier{client: reading, recorder: c.recorder, counters: newCounters()},
			clock:    c.clock,
			stale:    backOff(staleInterval, staleInterval),
		}
	}
	if c.started != nil {
		c.started()
	}
}

// counted is the manager's client: it notes writes, and fails once the manager
// is to be killed.
func (c *cluster) counted() client.WithWatch {
	write := func(verb string, o client.Object, carryOut func() error) error {
		if c.writesLeft == 0 {
			return errKilled
		}
		c.writesLeft--
		c.writes = append(c.writes, fmt.Sprintf("%s %s %s", verb, kindOf(o), o.GetName()))
		if c.failWrite != nil {
			return c.failWrite(o, verb, carryOut)
		}
		return carryOut()
	}
	return interceptor.NewClient(c.client, interceptor.Funcs{
		Create: func(ctx context.Context, w client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			return write("create", o, func() error { return w.Create(ctx, o, opts...) })
		},
		Delete: func(ctx context.Context, w client.WithWatch, o client.Object, opts ...client.DeleteOption) error {
			return write("delete", o, func() error { return w.Delete(ctx, o, opts...) })
		},
		Patch: func(ctx context.Context, w client.WithWatch, o client.Object, p client.Patch, opts ...client.PatchOption) error {
			return write("patch", o, func() error { return w.Patch(ctx, o, p, opts...) })
		},
		SubResourcePatch: func(ctx context.Context, w client.Client, sub string, o client.Object, p client.Patch, opts ...client.SubResourcePatchOption) error {
			return write("patch "+sub+" of", o, func() error { return w.SubResource(sub).Patch(ctx, o, p, opts...) })
		},
	})
}

func (c *cluster) must(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
}

// create creates a user's object.
func (c *cluster) create(o client.Object) {
	c.t.Helper()
	if o.GetGeneration() == 0 {
		o.SetGeneration(1)
	}
	c.must(c.client.Create(c.t.Context(), o))
}

// edit changes a user's object's spec.
func edit[T client.Object](c *cluster, o T, change func(T)) {
	c.t.Helper()
	c.must(c.client.Get(c.t.Context(), client.ObjectKeyFromObject(o), o))
	change(o)
	o.SetGeneration(o.GetGeneration() + 1)
	c.must(c.client.Update(c.t.Context(), o))
}

// subject reads an object as it is now, or returns nil.
func (c *cluster) subject(o client.Object) subject {
	c.t.Helper()
	s := runs
	if _, ok := o.(*v1alpha1.PolicySweep); ok {
		s = sweeps
	}
	now := s.object()
	err := c.client.Get(c.t.Context(), client.ObjectKeyFromObject(o), now)
	if apierrors.IsNotFound(err) {
		return nil
	}
	c.must(err)
	return s.wrap(now)
}

// observe and decide what a reconcile would do.
func (c *cluster) decide(o client.Object) (*observation, decision) {
	c.t.Helper()
	s := c.subject(o)
	w, err := c.reconcilers[s.kind()].observer.observe(c.t.Context(), s)
	c.must(err)
	return w, decide(w, c.clock.Now())
}

// reconcile does all that is to be done about an object, and checks that then
// nothing is left. It returns more than one decision where the first one waited for
// something that here takes no time.
func (c *cluster) reconcile(o client.Object) []decision {
	c.t.Helper()
	w, d := c.decide(o)
	c.must(c.reconcilers[w.subject.kind()].applier.apply(c.t.Context(), w, d, c.clock.Now()))
	_, again := c.decide(o)
	toGo := len(d.actions) > 0 && !slices.ContainsFunc(d.actions, func(a action) bool { return a.verb != verbDelete })
	if len(again.actions) > 0 && (toGo || w.job.repeated > 0) {
		// For a Job to go, or for one that is stopped to come to rest.
		return append([]decision{d}, c.reconcile(o)...)
	}
	if len(again.actions) > 0 || len(again.cleanup) > 0 || again.status != nil || len(again.events) > 0 {
		c.t.Fatalf("decided again after %v (%s): %v, cleanup %v, status %s", d.actions, statusLine(d.status), again.actions, again.cleanup, statusLine(again.status))
	}
	return []decision{d}
}

// job returns the one Job that is not being deleted.
func (c *cluster) job() *batchv1.Job {
	c.t.Helper()
	var jobs batchv1.JobList
	c.must(c.client.List(c.t.Context(), &jobs))
	if len(jobs.Items) != 1 {
		c.t.Fatalf("there are %d Jobs, want 1", len(jobs.Items))
	}
	return &jobs.Items[0]
}

func (c *cluster) jobs() []batchv1.Job {
	c.t.Helper()
	var jobs batchv1.JobList
	c.must(c.client.List(c.t.Context(), &jobs))
	return jobs.Items
}

func (c *cluster) pods() []corev1.Pod {
	c.t.Helper()
	var pods corev1.PodList
	c.must(c.client.List(c.t.Context(), &pods))
	return pods.Items
}

func (c *cluster) configMaps() []corev1.ConfigMap {
	c.t.Helper()
	var list corev1.ConfigMapList
	c.must(c.client.List(c.t.Context(), &list))
	return list.Items
}

// startPod does what the Job controller and a kubelet do for an index.
func (c *cluster) startPod(job *batchv1.Job, index int) *corev1.Pod {
	c.t.Helper()
	c.clock.SetTime(c.clock.Now().Add(time.Second))
	c.attempts++
	labels := map[string]string{batchv1.JobNameLabel: job.Name}
	for key, value := range job.Spec.Template.Labels {
		labels[key] = value
	}
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace:   job.Namespace,
			Name:        fmt.Sprintf("%s-%d-pod%d", job.Name, index, c.attempts),
			Labels:      labels,
			Annotations: map[string]string{batchv1.JobCompletionIndexAnnotation: fmt.Sprint(index)},
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: "batch/v1", Kind: "Job", Name: job.Name, UID: job.UID, Controller: ptr.To(true),
			}},
		},
		Spec: job.Spec.Template.Spec,
	}
	c.must(c.client.Create(c.t.Context(), pod))
	pod.Status.Phase = corev1.PodRunning
	c.must(c.client.Status().Update(c.t.Context(), pod))
	return pod
}

// bindPod makes the pod of an index, with a node and not started.
func (c *cluster) bindPod(job *batchv1.Job, index int) *corev1.Pod {
	c.t.Helper()
	pod := c.startPod(job, index)
	pod.Status.Phase = corev1.PodPending
	pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(c.clock.Now())}}
	c.must(c.client.Status().Update(c.t.Context(), pod))
	return pod
}

// active does what the Job controller does after it tried to create pods.
func (c *cluster) active(job *batchv1.Job, pods int32) {
	c.t.Helper()
	c.must(c.client.Get(c.t.Context(), client.ObjectKeyFromObject(job), job))
	if job.Status.StartTime == nil {
		job.Status.StartTime = ptr.To(metav1.NewTime(c.clock.Now()))
	}
	job.Status.Active = pods
	c.must(c.client.Status().Update(c.t.Context(), job))
}

// warn tells of an object what the Job controller or a kubelet tells.
func (c *cluster) warn(about client.Object, reason, note string) {
	c.t.Helper()
	c.attempts++
	c.must(c.client.Create(c.t.Context(), &eventsv1.Event{
		ObjectMeta:              metav1.ObjectMeta{Namespace: about.GetNamespace(), Name: fmt.Sprintf("event-%d", c.attempts)},
		Regarding:               corev1.ObjectReference{Kind: kindOf(about), Namespace: about.GetNamespace(), Name: about.GetName(), UID: about.GetUID()},
		Type:                    corev1.EventTypeWarning,
		Reason:                  reason,
		Note:                    note,
		DeprecatedLastTimestamp: metav1.NewTime(c.clock.Now()),
	}))
}

// pass lets time pass.
func (c *cluster) pass(d time.Duration) { c.clock.SetTime(c.clock.Now().Add(d)) }

// told is what the manager told since it started.
func (c *cluster) told() []string {
	close(c.recorder.Events)
	var told []string
	for e := range c.recorder.Events {
		told = append(told, e)
	}
	c.recorder.Events = make(chan string, cap(c.recorder.Events))
	return told
}

// endPod ends a pod.
func (c *cluster) endPod(pod *corev1.Pod, exitCode int32, reason, message string) {
	c.t.Helper()
	pod.Status.Phase = corev1.PodSucceeded
	if exitCode != 0 {
		pod.Status.Phase = corev1.PodFailed
	}
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{
		Name:  worker.Container,
		State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: exitCode, Reason: reason, Message: message}},
	}}
	c.must(c.client.Status().Update(c.t.Context(), pod))
}

// succeed runs the real worker for an index, and ends its pod.
func (c *cluster) succeed(job *batchv1.Job, index int) *corev1.Pod {
	c.t.Helper()
	pod := c.startPod(job, index)
	c.endPod(pod, 0, "Completed", c.work(job, index))
	return pod
}

// stop runs the real worker for a pod, which is told to stop after so many
// simulations.
func (c *cluster) stop(job *batchv1.Job, pod *corev1.Pod, simulations int) {
	c.t.Helper()
	index, _ := completionIndex(pod)
	c.endPod(pod, 130, "Error", c.workFor(job, index, simulations))
}

// goes deletes a pod, of which the managers' watches tell.
func (c *cluster) goes(pod *corev1.Pod) {
	c.t.Helper()
	c.must(c.client.Delete(c.t.Context(), pod))
	for _, r := range c.reconcilers {
		r.observer.deletedPods.add(pod)
	}
}

// work runs the real worker for an index and returns its termination message.
func (c *cluster) work(job *batchv1.Job, index int) string {
	c.t.Helper()
	return c.workFor(job, index, -1)
}

// workFor is work that is told to stop after so many simulations, unless that is
// below 0.
func (c *cluster) workFor(job *batchv1.Job, index, simulations int) string {
	c.t.Helper()
	id := fmt.Sprintf("%s/%d/%d", job.Name, index, simulations)
	done, known := c.worked[id]
	if !known {
		var err error
		done, err = c.simulate(job, index, simulations)
		if simulations < 0 || !errors.Is(err, worker.ErrStopped) {
			c.must(err)
		}
		if c.worked != nil {
			c.worked[id] = done
		}
	}
	for _, cm := range done.configMaps {
		c.must(client.IgnoreAlreadyExists(c.client.Create(c.t.Context(), cm.DeepCopy())))
	}
	return done.message
}

// simulate runs the real worker for an index, which is told to stop after so many
// simulations unless that is below 0.
func (c *cluster) simulate(job *batchv1.Job, index, simulations int) (shardWork, error) {
	c.t.Helper()
	ctx, stop := context.WithCancel(c.t.Context())
	defer stop()
	folder := c.t.TempDir()
	for _, volume := range job.Spec.Template.Spec.Volumes {
		if volume.EmptyDir != nil {
			continue
		}
		if volume.Secret != nil {
			c.mountSecret(job.Namespace, volume.Secret, folder)
			continue
		}
		var cm corev1.ConfigMap
		c.must(c.client.Get(c.t.Context(), client.ObjectKey{Namespace: job.Namespace, Name: volume.ConfigMap.Name}, &cm))
		for key, text := range cm.Data {
			c.must(os.WriteFile(filepath.Join(folder, key), []byte(text), 0o600))
		}
		for key, raw := range cm.BinaryData {
			c.must(os.WriteFile(filepath.Join(folder, key), raw, 0o600))
		}
	}
	if simulations == 0 {
		stop()
	}
	var done shardWork
	if job.Labels[LabelComponent] == ComponentProposer {
		report, err := worker.Propose(ctx, worker.ProposeOptions{PlanFolder: folder, RoundFolder: folder, SecretFolder: folder, Wait: func(context.Context, time.Duration) {}}, (*collector)(&done.configMaps))
		done.message = encodedReport(report)
		return done, err
	}
	report, err := worker.Run(ctx, worker.Options{
		PlanFolder: folder, RoundFolder: folder, InputsFolder: folder, Index: index, Shards: int(*job.Spec.Completions), Parallelism: 1,
		Progress: func(done int) {
			if done == simulations {
				stop()
			}
		},
	}, (*collector)(&done.configMaps))
	raw, encodeErr := report.Encode()
	c.must(encodeErr)
	done.message = string(raw)
	return done, err
}

// mountSecret does what a kubelet does for a volume of a Secret that need not exist.
func (c *cluster) mountSecret(namespace string, volume *corev1.SecretVolumeSource, folder string) {
	c.t.Helper()
	var secret corev1.Secret
	err := c.client.Get(c.t.Context(), client.ObjectKey{Namespace: namespace, Name: volume.SecretName}, &secret)
	c.must(client.IgnoreNotFound(err))
	for _, item := range volume.Items {
		if raw, there := secret.Data[item.Key]; there {
			c.must(os.WriteFile(filepath.Join(folder, item.Path), raw, 0o600))
		}
	}
}

// refused is the message of a worker that ends because of what it reads.
func (c *cluster) refused(job *batchv1.Job, index int) string {
	c.t.Helper()
	done, err := c.simulate(job, index, -1)
	if !errors.Is(err, worker.ErrBadInput) {
		c.t.Fatalf("the worker ends with %v, want %v", err, worker.ErrBadInput)
	}
	return done.message
}

// collector keeps what a worker creates.
type collector []*corev1.ConfigMap

func (c *collector) CreateConfigMap(_ context.Context, cm *corev1.ConfigMap) error {
	*c = append(*c, cm)
	return nil
}

// endJob ends a Job.
func (c *cluster) endJob(job *batchv1.Job, typ batchv1.JobConditionType, reason, message string, failed ...int) {
	c.t.Helper()
	c.must(c.client.Get(c.t.Context(), client.ObjectKeyFromObject(job), job))
	job.Status.Conditions = append(job.Status.Conditions, batchv1.JobCondition{
		Type: typ, Status: corev1.ConditionTrue, Reason: reason, Message: message,
	})
	if len(failed) > 0 {
		job.Status.FailedIndexes = ptr.To(strings.Trim(strings.ReplaceAll(fmt.Sprint(failed), " ", ","), "[]"))
	}
	c.must(c.client.Status().Update(c.t.Context(), job))
}

// collectGarbage deletes what has no owner left.
func (c *cluster) collectGarbage() {
	c.t.Helper()
	uids := map[types.UID]bool{}
	for _, job := range c.jobs() {
		uids[job.UID] = true
	}
	for _, pod := range c.pods() {
		if !uids[metav1.GetControllerOf(&pod).UID] {
			c.must(c.client.Delete(c.t.Context(), &pod))
		}
	}
}

// results are the names of the result ConfigMaps.
func (c *cluster) results() []string {
	c.t.Helper()
	var names []string
	for _, cm := range c.configMaps() {
		if _, isList := cm.Labels[worker.LabelList]; cm.Labels[LabelComponent] == ComponentResult && !isList {
			names = append(names, cm.Name)
		}
	}
	slices.Sort(names)
	return names
}

// encodedReport returns the report of a shard as its worker encodes it.
func encodedReport(r store.Report) string {
	raw, err := r.Encode()
	if err != nil {
		panic(err)
	}
	return string(raw)
}
