// SPDX-License-Identifier: Apache-2.0

package operator_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/controllers"
)

// kstatus is what GitOps tools make of an object.
func kstatus(t *testing.T, o client.Object) status.Status {
	t.Helper()
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	if err != nil {
		t.Fatal(err)
	}
	u := &unstructured.Unstructured{Object: content}
	u.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind(kind(o)))
	result, err := status.Compute(u)
	if err != nil {
		t.Fatal(err)
	}
	return result.Status
}

// kind names the kind of one of our objects.
func kind(o client.Object) string {
	if _, ok := o.(*v1alpha1.PolicySweep); ok {
		return "PolicySweep"
	}
	return "SimulationRun"
}

// TestGitOpsToolsNeverSeeItReadyTooEarly records all that a watch shows of a
// sweep from its creation to its end, and of an edit.
func TestGitOpsToolsNeverSeeItReadyTooEarly(t *testing.T) {
	t.Parallel()
	p := sharedPlatform(t)
	ns := p.namespace(t)
	watcher, err := client.NewWithWatch(p.admin, client.Options{Scheme: controllers.Scheme()})
	if err != nil {
		t.Fatal(err)
	}
	watch, err := watcher.Watch(t.Context(), &v1alpha1.PolicySweepList{}, client.InNamespace(ns))
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Stop()
	sweep := weights().Shards(3).Obj()
	p.create(t, ns, sweep)
	p.until(t, sweep, v1alpha1.ConditionComplete)
	edit(t, p, sweep, func(s *v1alpha1.PolicySweep) { s.Spec.Replications.Seeds = []int64{5} })
	p.until(t, sweep, v1alpha1.ConditionComplete)
	var seen []status.Status
	for e := range watch.ResultChan() {
		s := e.Object.(*v1alpha1.PolicySweep)
		// Before the first reconcile there is nothing to go by.
		if state := kstatus(t, s); len(s.Status.Conditions) > 0 && (len(seen) == 0 || seen[len(seen)-1] != state) {
			seen = append(seen, state)
		}
		for _, c := range s.Status.Conditions {
			if c.Type != v1alpha1.ConditionReady && c.Status != metav1.ConditionTrue {
				t.Errorf("condition %s is %s; only Ready may be anything but True", c.Type, c.Status)
			}
		}
		if s.ResourceVersion == sweep.ResourceVersion {
			break
		}
	}
	if diff := cmp.Diff([]status.Status{status.InProgressStatus, status.CurrentStatus, status.InProgressStatus, status.CurrentStatus}, seen); diff != "" {
		t.Errorf("kstatus (-want +got):\n%s", diff)
	}
}

// TestAppliedAgainNothingChanges applies the manifest of a complete object again, as
// GitOps tools do at every look.
func TestAppliedAgainNothingChanges(t *testing.T) {
	t.Parallel()
	p := sharedPlatform(t)
	ns := p.namespace(t)
	sweep := weights().Obj()
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(sweep)
	if err != nil {
		t.Fatal(err)
	}
	delete(content, "status")
	manifest := &unstructured.Unstructured{Object: content}
	manifest.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("PolicySweep"))
	manifest.SetNamespace(ns)
	manifest.SetUID("")
	apply := func() {
		t.Helper()
		again := client.ApplyConfigurationFromUnstructured(manifest.DeepCopy())
		if err := p.client.Apply(t.Context(), again, client.FieldOwner("gitops")); err != nil {
			t.Fatal(err)
		}
	}
	apply()
	sweep.Namespace = ns
	p.until(t, sweep, v1alpha1.ConditionComplete)
	apply()
	after := sweep.DeepCopy()
	if err := p.client.Get(t.Context(), client.ObjectKeyFromObject(sweep), after); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(sweep, after); diff != "" {
		t.Errorf("applied again (-before +after):\n%s", diff)
	}
}

// TestNamesOfAllLengths runs an object whose name is as long as a name can be,
// and has dots.
func TestNamesOfAllLengths(t *testing.T) {
	t.Parallel()
	p := sharedPlatform(t)
	ns := p.namespace(t)
	for _, name := range []string{strings.Repeat("a.", 126) + "b", strings.Repeat("a.", 126) + "c", "0"} {
		sweep := weights().Shards(2).Obj()
		sweep.Name = name
		p.create(t, ns, sweep)
		p.until(t, sweep, v1alpha1.ConditionComplete)
	}
	var names []string
	for _, job := range p.jobs(t, ns) {
		names = append(names, job.Name)
	}
	slices.Sort(names)
	if len(slices.Compact(names)) != 3 {
		t.Errorf("Jobs %v, want three", names)
	}
}

// TestDeletedAndCreatedAgain leaves the children of an object there, as the
// garbage collector does for a while, and creates another one of its name.
func TestDeletedAndCreatedAgain(t *testing.T) {
	t.Parallel()
	p := sharedPlatform(t)
	ns := p.namespace(t)
	first := weights().Shards(2).Obj()
	p.create(t, ns, first)
	p.until(t, first, v1alpha1.ConditionComplete)
	if err := p.client.Delete(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	second := weights().Shards(2).Obj()
	p.create(t, ns, second)
	p.until(t, second, v1alpha1.ConditionComplete)
	if got, want := p.rows(t, second), p.rows(t, first); got != want {
		t.Errorf("rows (-first +second):\n%s", cmp.Diff(want, got))
	}
	for _, ref := range p.chunks(t, second) {
		if slices.Contains(p.chunks(t, first), ref) {
			t.Errorf("result %s belongs to the object that is gone", ref.Name)
		}
	}
}

// TestADeletedObjectIsLeftAlone deletes an object in the foreground, so that it
// stays until its children are gone, and looks that none is made.
func TestADeletedObjectIsLeftAlone(t *testing.T) {
	t.Parallel()
	p := sharedPlatform(t)
	ns := p.namespace(t)
	sweep := weights().Suspend(true).Obj()
	p.create(t, ns, sweep)
	p.until(t, sweep, v1alpha1.ConditionSuspended)
	if err := p.client.Delete(t.Context(), sweep, client.PropagationPolicy(metav1.DeletePropagationForeground)); err != nil {
		t.Fatal(err)
	}
	job := p.jobs(t, ns)[0]
	if err := p.client.Delete(context.WithoutCancel(t.Context()), &job, client.PropagationPolicy(metav1.DeletePropagationBackground)); err != nil {
		t.Fatal(err)
	}
	// Another object's life takes longer than a reconcile of this one would.
	other := weights().Obj()
	other.Name = "other"
	p.create(t, ns, other)
	p.until(t, other, v1alpha1.ConditionComplete)
	if jobs := p.jobs(t, ns); len(jobs) != 1 {
		t.Errorf("%d Jobs, want that of the other object alone", len(jobs))
	}
}

// TestANamespaceIsNotHeldByAJob deletes a namespace in which a failed pod is kept, as
// the Job controller does until it has made the next one.
func TestANamespaceIsNotHeldByAJob(t *testing.T) {
	t.Parallel()
	p := sharedPlatform(t)
	ns := p.namespace(t)
	p.kubelet.set(ns, faults{hold: true})
	sweep := weights().Obj()
	p.create(t, ns, sweep)
	eventually(t, func() string {
		if len(p.pods(t, ns)) == 0 {
			return "there is no pod"
		}
		return ""
	})
	pod := p.pods(t, ns)[0]
	patch := func(finalizers string) {
		t.Helper()
		err := p.client.Patch(context.WithoutCancel(t.Context()), &pod, client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":`+finalizers+`}}`)))
		if client.IgnoreNotFound(err) != nil {
			t.Error(err)
		}
	}
	patch(`["` + batchv1.JobTrackingFinalizer + `"]`)
	defer patch("null")
	if err := p.kube.CoreV1().Namespaces().Delete(t.Context(), ns, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := p.client.Delete(t.Context(), pod.DeepCopy()); err != nil {
		t.Fatal(err)
	}
	pod.Status.Phase = corev1.PodFailed
	if err := p.client.Status().Patch(t.Context(), &pod, client.RawPatch(types.MergePatchType, []byte(`{"status":{"phase":"Failed"}}`))); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() string {
		if jobs := p.jobs(t, ns); len(jobs) > 0 {
			return "there is a Job"
		}
		return ""
	})
	// What cannot be created there any more is no news.
	if err := p.client.Get(t.Context(), client.ObjectKeyFromObject(sweep), sweep); err != nil {
		t.Fatal(err)
	}
	if ready := meta.FindStatusCondition(sweep.Status.Conditions, v1alpha1.ConditionReady); ready == nil || ready.Reason == v1alpha1.ReasonBlocked {
		t.Errorf("the sweep of a namespace that is being deleted is blocked: %s", statusMessage(statusOf(sweep)))
	}
}

func TestEventsReportTheLifecycleOfASweep(t *testing.T) {
	t.Parallel()
	p := sharedPlatform(t)
	ns := p.namespace(t)
	sweep := weights().Obj()
	p.create(t, ns, sweep)
	p.until(t, sweep, v1alpha1.ConditionComplete)
	eventually(t, func() string {
		list, err := p.kube.EventsV1().Events(ns).List(t.Context(), metav1.ListOptions{})
		if err != nil {
			return err.Error()
		}
		var told []string
		for _, e := range list.Items {
			if e.Regarding.UID == sweep.UID && e.ReportingController == controllers.FieldOwner {
				told = append(told, e.Reason)
			}
		}
		slices.Sort(told)
		if diff := cmp.Diff([]string{"Complete", "JobCreated"}, told); diff != "" {
			return "events (-want +got):\n" + diff
		}
		return ""
	})
}

// TestFollowersAreCreatedAndDeleted follows the two best points, and then the best alone.
func TestFollowersAreCreatedAndDeleted(t *testing.T) {
	t.Parallel()
	p := sharedPlatform(t)
	ns := p.namespace(t)
	sweep := weights().Obj()
	sweep.Spec.Follow = &v1alpha1.Follow{Best: 2}
	p.create(t, ns, sweep)
	for _, want := range []int32{2, 1} {
		edit(t, p, sweep, func(s *v1alpha1.PolicySweep) { s.Spec.Follow.Best = want })
		eventually(t, func() string {
			var runs v1alpha1.SimulationRunList
			if err := p.client.List(t.Context(), &runs, client.InNamespace(ns)); err != nil {
				return err.Error()
			}
			if len(runs.Items) != int(want) {
				return fmt.Sprintf("%d runs follow, want %d", len(runs.Items), want)
			}
			return ""
		})
	}
}
