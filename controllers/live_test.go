// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"bytes"
	"errors"
	"fmt"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/testing/golden"
	"windtunnel.dev/windtunnel/pkg/experiment/store"
)

// liveRun is once before a real EPP.
func liveRun() *v1alpha1.SimulationRun {
	run := once().Obj()
	run.Spec.Scenario.Horizon.Duration = "10m"
	run.Spec.Execution.Live = &v1alpha1.LiveExecution{Image: "epp:v1", Args: []string{"--v=4"}}
	return run
}

// newLiveCluster is a cluster in which the API server has an address.
func newLiveCluster(t *testing.T) *cluster {
	t.Helper()
	c := newCluster(t)
	c.must(c.client.Create(t.Context(), &discoveryv1.EndpointSlice{
		ObjectMeta: metav1.ObjectMeta{Namespace: metav1.NamespaceDefault, Name: "kubernetes"},
		Endpoints:  []discoveryv1.Endpoint{{Addresses: []string{"192.0.2.1"}}},
		Ports:      []discoveryv1.EndpointPort{{Port: ptr.To[int32](6443)}},
	}))
	return c
}

// beside names what there is beside Jobs.
func (c *cluster) beside() []string {
	c.t.Helper()
	var names []string
	for _, list := range []client.ObjectList{&appsv1.DeploymentList{}, &corev1.ServiceList{}, &networkingv1.NetworkPolicyList{}} {
		c.must(c.client.List(c.t.Context(), list))
		items, err := meta.ExtractList(list)
		c.must(err)
		for _, item := range items {
			names = append(names, item.(client.Object).GetName())
		}
	}
	return names
}

// TestMakeLive compares the objects of a live run with testdata/live.yaml, which is easier to review
// than Go. It has priorities, and so a container that has started before the EPP.
func TestMakeLive(t *testing.T) {
	live := liveRun()
	live.Spec.Scenario.Workload.Clients[0].Priority = 5
	s := run{live}
	compiled, errs, err := s.compile(t.Context(), clusterInputs{})
	if err != nil || len(errs) > 0 {
		t.Fatal(err, errs)
	}
	p := &subjectPlan{hashedPlan: &hashedPlan{Plan: compiled.Plan, hash: strings.Repeat("0123456789abcdef", 4)}, prefix: "once-76543210"}
	const job = "once-01234567"
	objects := append([]client.Object{makeJob(s, p, &task{job: job, shards: 1}, "windtunnel:v1")},
		makeEngines(s, p, job, "windtunnel:v1", []netip.AddrPort{netip.MustParseAddrPort("192.0.2.1:6443"), netip.MustParseAddrPort("[2001:db8::1]:6443")})...)
	var all [][]byte
	for _, o := range objects {
		raw, err := yaml.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, raw)
	}
	got := bytes.Join(all, []byte("---\n"))
	file := filepath.Join("testdata", "live.yaml")
	golden.Check(t, file, got)
}

func TestOnlyTheWorkerOfALiveRunHasAToken(t *testing.T) {
	c := newLiveCluster(t)
	live := liveRun()
	live.Spec.Scenario.Workload.Clients[0].Priority = 5
	c.create(live)
	c.reconcile(live)
	pod := c.job().Spec.Template.Spec
	for _, container := range append(pod.InitContainers, pod.Containers...) {
		hidden := slices.ContainsFunc(container.VolumeMounts, func(m corev1.VolumeMount) bool { return m.MountPath == tokenFolder })
		if want := container.Name != "worker"; hidden != want {
			t.Errorf("the token is hidden from %s: %t, want %t", container.Name, hidden, want)
		}
	}
}

// TestWhatIsBesideTheWorkerOfALiveRun has the container objects where requests have priorities, and not otherwise.
func TestWhatIsBesideTheWorkerOfALiveRun(t *testing.T) {
	for priority, want := range map[int32][]string{0: {"prepare", "epp"}, 5: {"prepare", "objects", "epp"}} {
		c := newLiveCluster(t)
		live := liveRun()
		live.Spec.Scenario.Workload.Clients[0].Priority = priority
		c.create(live)
		c.reconcile(live)
		var got []string
		for _, container := range c.job().Spec.Template.Spec.InitContainers {
			got = append(got, container.Name)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("priority %d (-want +got):\n%s", priority, diff)
		}
	}
}

func TestNamesOfALiveRunFit(t *testing.T) {
	pool := strings.Repeat("p", 63)
	for _, object := range []string{"a", "1.a", strings.Repeat("r", 63), strings.Repeat("r", 253)} {
		name := deploymentName(object, pool)
		if faults := validation.IsDNS1123Label(name); len(faults) > 0 || len(name) > maxDeploymentName {
			t.Errorf("Deployment %s of %s: %v", name, object, faults)
		}
		job := jobName("uid", object, "hash", 0, 99, "work", v1alpha1.Execution{})
		if name := serviceName(job, 99); len(validation.IsDNS1035Label(name)) > 0 {
			t.Errorf("Service %s of %s: %v", name, object, validation.IsDNS1035Label(name))
		}
		if faults := validation.IsValidLabelValue(job); len(faults) > 0 {
			t.Errorf("label %s of %s: %v", job, object, faults)
		}
	}
	if got := deploymentName("chat", "llama"); got != "chat-llama" {
		t.Errorf("a scaler has to name %s, want chat-llama", got)
	}
	if deploymentName(strings.Repeat("r", 63), "a") == deploymentName(strings.Repeat("r", 63), "b") {
		t.Error("two pools have one name")
	}
}

// endPicker ends the EPP of a pod while the worker runs.
func (c *cluster) endPicker(pod *corev1.Pod, state corev1.ContainerStateTerminated) {
	c.t.Helper()
	pod.Status.InitContainerStatuses = []corev1.ContainerStatus{{Name: containerEPP, LastTerminationState: corev1.ContainerState{Terminated: &state}}}
	c.must(c.client.Status().Update(c.t.Context(), pod))
}

// TestEveryEndOfALiveRunLeavesNothingBeside has a live run at work end in each way.
func TestEveryEndOfALiveRunLeavesNothingBeside(t *testing.T) {
	tests := map[string]struct {
		end           func(*cluster, *v1alpha1.SimulationRun, *corev1.Pod)
		reason, words string
	}{
		"it is complete": {func(c *cluster, _ *v1alpha1.SimulationRun, pod *corev1.Pod) {
			job := c.job()
			c.endPod(pod, 0, "Completed", c.work(job, 0))
			c.endJob(job, batchv1.JobComplete, "", "")
		}, v1alpha1.ReasonComplete, "1 simulation done"},
		"the EPP does not start": {func(c *cluster, _ *v1alpha1.SimulationRun, pod *corev1.Pod) {
			c.endPicker(pod, corev1.ContainerStateTerminated{ExitCode: 1, Message: "unknown flag: --v\n"})
		}, v1alpha1.ReasonEndpointPickerFailed, "the EPP ended with exit code 1; the end of its log: unknown flag: --v"},
		"the worker fails": {func(c *cluster, _ *v1alpha1.SimulationRun, pod *corev1.Pod) {
			job := c.job()
			c.endPod(pod, 65, "Error", `{"error":"the engines are not ready"}`)
			c.endJob(job, batchv1.JobFailed, batchv1.JobReasonFailedIndexes, "")
		}, v1alpha1.ReasonJobFailed, "the engines are not ready"},
		"its deadline passes": {func(c *cluster, _ *v1alpha1.SimulationRun, pod *corev1.Pod) {
			c.must(c.client.Delete(c.t.Context(), pod))
			c.clock.SetTime(c.clock.Now().Add(20*time.Minute + time.Second))
		}, v1alpha1.ReasonDeadlineExceeded, "(1200 s)"},
		"it is suspended": {func(c *cluster, run *v1alpha1.SimulationRun, _ *corev1.Pod) {
			edit(c, run, func(r *v1alpha1.SimulationRun) { r.Spec.Execution.Suspend = true })
		}, v1alpha1.ReasonSuspended, "suspend is true"},
		"a queue evicts it": {func(c *cluster, _ *v1alpha1.SimulationRun, pod *corev1.Pod) {
			job := c.job()
			c.must(c.client.Delete(c.t.Context(), pod))
			job.Spec.Suspend = ptr.To(true)
			c.must(c.client.Update(c.t.Context(), job))
		}, v1alpha1.ReasonPending, "suspended"},
		"its spec becomes invalid": {func(c *cluster, run *v1alpha1.SimulationRun, _ *corev1.Pod) {
			edit(c, run, func(r *v1alpha1.SimulationRun) { r.Spec.Execution.Live.Args = []string{"--grpc-port=1"} })
		}, v1alpha1.ReasonInvalid, "spec.execution.live.args[0]: Forbidden: a rehearsal sets --grpc-port"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			c := newLiveCluster(t)
			live := liveRun()
			c.create(live)
			c.reconcile(live)
			pod := c.startPod(c.job(), 0)
			c.reconcile(live)
			if got := c.beside(); len(got) != 4 {
				t.Fatalf("at work there are %v", got)
			}
			tc.end(c, live, pod)
			c.reconcile(live)
			if got := c.beside(); len(got) > 0 {
				t.Errorf("left are %v", got)
			}
			ready := meta.FindStatusCondition(c.subject(live).status().Conditions, v1alpha1.ConditionReady)
			if ready.Reason != tc.reason || !strings.Contains(ready.Message, tc.words) {
				t.Errorf("%s: %s; want %s: %s", ready.Reason, ready.Message, tc.reason, tc.words)
			}
		})
	}
}

func TestWhatIsBesideALiveRunComesAgain(t *testing.T) {
	c := newLiveCluster(t)
	live := liveRun()
	c.create(live)
	c.reconcile(live)
	want := c.beside()
	var deployment appsv1.Deployment
	c.must(c.client.Get(t.Context(), client.ObjectKey{Namespace: live.Namespace, Name: "once-llama"}, &deployment))
	c.must(c.client.Delete(t.Context(), &deployment))
	c.reconcile(live)
	if diff := cmp.Diff(want, c.beside()); diff != "" {
		t.Errorf("after another client deleted the Deployment (-want +got):\n%s", diff)
	}
	edit(c, live, func(r *v1alpha1.SimulationRun) { r.Spec.Execution.Suspend = true })
	c.reconcile(live)
	edit(c, live, func(r *v1alpha1.SimulationRun) { r.Spec.Execution.Suspend = false })
	c.reconcile(live)
	if diff := cmp.Diff(want, c.beside()); diff != "" {
		t.Errorf("after it was suspended and resumed (-want +got):\n%s", diff)
	}
}

func TestALiveRunSaysWhatKeepsItsReplicasAway(t *testing.T) {
	ready := func(c *cluster, live *v1alpha1.SimulationRun) string {
		r := meta.FindStatusCondition(c.subject(live).status().Conditions, v1alpha1.ConditionReady)
		return r.Reason + ": " + r.Message
	}
	t.Run("a quota of Deployments", func(t *testing.T) {
		c := newLiveCluster(t)
		c.failWrite = func(o client.Object, verb string, carryOut func() error) error {
			if kindOf(o) == "Deployment" && verb == "create" {
				return apierrors.NewForbidden(schema.GroupResource{Resource: "deployments"}, o.GetName(), fmt.Errorf("exceeded quota: small"))
			}
			return carryOut()
		}
		live := liveRun()
		c.create(live)
		w, d := c.decide(live)
		_ = c.reconcilers[w.subject.kind()].applier.apply(t.Context(), w, d, c.clock.Now()) // a refusal is its error, too
		if got := ready(c, live); !strings.HasPrefix(got, "Blocked: ") || !strings.Contains(got, "exceeded quota: small") {
			t.Error(got)
		}
	})
	t.Run("a quota of pods", func(t *testing.T) {
		c := newLiveCluster(t)
		live := liveRun()
		c.create(live)
		c.reconcile(live)
		c.bindPod(c.job(), 0)
		var d appsv1.Deployment
		c.must(c.client.Get(t.Context(), client.ObjectKey{Namespace: live.Namespace, Name: "once-llama"}, &d))
		d.Status.Conditions = []appsv1.DeploymentCondition{{Type: appsv1.DeploymentReplicaFailure, Status: corev1.ConditionTrue, Message: "exceeded quota: small"}}
		c.must(c.client.Status().Update(t.Context(), &d))
		c.reconcile(live)
		if got := ready(c, live); !strings.HasPrefix(got, "Blocked: ") || !strings.Contains(got, "Deployment once-llama: 0 of 2 replicas are ready: exceeded quota: small") {
			t.Error(got)
		}
	})
	t.Run("an EPP whose image is not there", func(t *testing.T) {
		c := newLiveCluster(t)
		live := liveRun()
		c.create(live)
		c.reconcile(live)
		pod := c.bindPod(c.job(), 0)
		pod.Status.InitContainerStatuses = []corev1.ContainerStatus{{Name: containerEPP, State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff", Message: "epp:v1 is not found"}}}}
		c.must(c.client.Status().Update(t.Context(), pod))
		c.reconcile(live)
		if got := ready(c, live); !strings.HasPrefix(got, "Blocked: ") || !strings.Contains(got, "ImagePullBackOff: epp:v1 is not found") {
			t.Error(got)
		}
	})
	t.Run("its own replicas, which fill the nodes", func(t *testing.T) {
		c := newLiveCluster(t)
		live := liveRun()
		c.create(live)
		c.reconcile(live)
		job := c.job()
		replica := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: live.Namespace, Name: "replica", Labels: mergeLabel(job.Labels, LabelJob, job.Name)}}
		c.create(replica)
		replica.Status.Phase = corev1.PodRunning
		c.must(c.client.Status().Update(t.Context(), replica))
		c.unscheduledPod(live, fullNode)
		c.pass(capacityTimeout)
		c.reconcile(live)
		if got := ready(c, live); !strings.HasPrefix(got, "Blocked: ") || !strings.Contains(got, "Insufficient cpu") {
			t.Error(got)
		}
	})
	t.Run("another owner's Deployment", func(t *testing.T) {
		c := newLiveCluster(t)
		live := liveRun()
		c.create(&appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: live.Namespace, Name: "once-llama"}})
		c.create(live)
		c.reconcile(live)
		if got := ready(c, live); !strings.HasPrefix(got, "Conflict: Deployment once-llama exists") || len(c.jobs()) > 0 {
			t.Error(got)
		}
	})
}

// measures creates a live run and has its Job end with a comparison.
func (c *cluster) measures(live *v1alpha1.SimulationRun, said store.Rehearsal) {
	c.t.Helper()
	c.create(live)
	c.reconcile(live)
	job := c.job()
	report, err := store.DecodeReport(c.work(job, 0))
	c.must(err)
	report.Rehearsal = &said
	raw, err := report.Encode()
	c.must(err)
	c.endPod(c.startPod(job, 0), 0, "Completed", string(raw))
	c.endJob(job, batchv1.JobComplete, "", "")
}

func TestALiveRunIsRehearsed(t *testing.T) {
	for _, within := range []bool{true, false} {
		c := newLiveCluster(t)
		live := liveRun()
		said := store.Rehearsal{Within: within, Message: "decisions: 99.7 % equal or tied"}
		c.measures(live, said)
		c.reconcile(live)
		got := meta.FindStatusCondition(c.subject(live).status().Conditions, v1alpha1.ConditionRehearsed)
		if got == nil || (got.Status == metav1.ConditionTrue) != within || got.Message != said.Message {
			t.Errorf("within the limits %t: %+v", within, got)
		}
	}
}

// TestALiveRunIsRehearsedAfterAFailure has each write of the look that completes the run fail.
func TestALiveRunIsRehearsedAfterAFailure(t *testing.T) {
	for writes := 0; ; writes++ {
		c := newLiveCluster(t)
		live := liveRun()
		c.measures(live, store.Rehearsal{Within: true, Message: "all is equal"})
		c.writesLeft = writes
		_, err := c.reconcileOnce(live)
		c.writesLeft = -1
		c.reconcile(live)
		if got := meta.FindStatusCondition(c.subject(live).status().Conditions, v1alpha1.ConditionRehearsed); got == nil || got.Message != "all is equal" {
			t.Errorf("after %d writes: %+v", writes, got)
		}
		if !errors.Is(err, errKilled) {
			return
		}
	}
}
