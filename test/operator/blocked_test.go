// SPDX-License-Identifier: Apache-2.0

package operator_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// untilBlocked waits until an object's conditions say that it is blocked, and why.
func (p *platform) untilBlocked(t *testing.T, o customResource, why ...string) {
	t.Helper()
	begin := time.Now()
	eventually(t, func() string {
		if err := p.client.Get(t.Context(), client.ObjectKeyFromObject(o), o); err != nil {
			return err.Error()
		}
		ready := meta.FindStatusCondition(statusOf(o).Conditions, v1alpha1.ConditionReady)
		if ready == nil || ready.Reason != v1alpha1.ReasonBlocked {
			return "it is not blocked: " + statusMessage(statusOf(o))
		}
		for _, part := range why {
			if !strings.Contains(ready.Message, part) {
				return fmt.Sprintf("it does not say %q: %s", part, ready.Message)
			}
		}
		t.Logf("after %s: %s", time.Since(begin).Round(100*time.Millisecond), ready.Message)
		return ""
	})
}

// quota makes a quota that has no room for a resource.
func (p *platform) quota(t *testing.T, namespace, name string, what corev1.ResourceName) *corev1.ResourceQuota {
	t.Helper()
	none := corev1.ResourceList{what: resource.MustParse("0")}
	quota := &corev1.ResourceQuota{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec:       corev1.ResourceQuotaSpec{Hard: none},
	}
	if err := p.client.Create(t.Context(), quota); err != nil {
		t.Fatal(err)
	}
	quota.Status.Used = none
	p.setQuota(t, quota, 0)
	return quota
}

// setQuota does what the quota controller does.
func (p *platform) setQuota(t *testing.T, quota *corev1.ResourceQuota, room int64) {
	t.Helper()
	eventually(t, func() string {
		used := quota.Status.Used
		if err := p.client.Get(t.Context(), client.ObjectKeyFromObject(quota), quota); err != nil {
			return err.Error()
		}
		quota.Status.Hard = corev1.ResourceList{}
		for what := range quota.Spec.Hard {
			quota.Status.Hard[what] = *resource.NewQuantity(room, resource.DecimalSI)
		}
		quota.Status.Used = used
		if err := p.client.Status().Update(t.Context(), quota); err != nil {
			return err.Error()
		}
		return ""
	})
}

// TestAnExhaustedQuotaIsReported lets the API server refuse the pods, and then take
// them.
func TestAnExhaustedQuotaIsReported(t *testing.T) {
	t.Parallel()
	p := sharedPlatform(t)
	ns := p.namespace(t)
	quota := p.quota(t, ns, "compute", corev1.ResourcePods)
	sweep := weights().Obj()
	p.create(t, ns, sweep)
	p.untilBlocked(t, sweep, "FailedCreate: exceeded quota: compute, requested: pods=1, used: pods=0, limited: pods=0")
	p.setQuota(t, quota, 100)
	p.until(t, sweep, v1alpha1.ConditionComplete)
}

// TestALimitRangeThatForbidsPodsIsReported has the namespace bound what a container may
// use.
func TestALimitRangeThatForbidsPodsIsReported(t *testing.T) {
	t.Parallel()
	p := sharedPlatform(t)
	ns := p.namespace(t)
	limits := &corev1.LimitRange{
		ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "small"},
		Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{{
			Type: corev1.LimitTypeContainer,
			Max:  corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("64Mi")},
		}}},
	}
	if err := p.client.Create(t.Context(), limits); err != nil {
		t.Fatal(err)
	}
	sweep := weights().Obj()
	sweep.Spec.Execution.Resources.Limits = corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("1Gi")}
	p.create(t, ns, sweep)
	p.untilBlocked(t, sweep, "FailedCreate: maximum memory usage per Container is 64Mi, but limit is 1Gi")
	edit(t, p, sweep, func(s *v1alpha1.PolicySweep) {
		s.Spec.Execution.Resources.Limits[corev1.ResourceMemory] = resource.MustParse("64Mi")
	})
	p.until(t, sweep, v1alpha1.ConditionComplete)
}

// TestAVolumeThatDoesNotMountIsReported has a kubelet say that a pod's volume is not
// there.
func TestAVolumeThatDoesNotMountIsReported(t *testing.T) {
	t.Parallel()
	p := sharedPlatform(t)
	ns := p.namespace(t)
	p.kubelet.set(ns, faults{hold: true})
	sweep := weights().Obj()
	p.create(t, ns, sweep)
	var pods corev1.PodList
	eventually(t, func() string {
		if err := p.client.List(t.Context(), &pods, client.InNamespace(ns)); err != nil || len(pods.Items) == 0 {
			return fmt.Sprintf("there is no pod: %v", err)
		}
		return ""
	})
	pod := &pods.Items[0]
	pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionTrue, LastTransitionTime: metav1.Now()}}
	if err := p.client.Status().Update(t.Context(), pod); err != nil {
		t.Fatal(err)
	}
	p.kubelet.recorder.Event(pod, corev1.EventTypeWarning, "FailedMount", `MountVolume.SetUp failed for volume "inputs" : configmap "traces" not found`)
	p.untilBlocked(t, sweep, `shard 0: FailedMount: MountVolume.SetUp failed for volume "inputs" : configmap "traces" not found`)
	p.kubelet.set(ns, faults{})
	p.until(t, sweep, v1alpha1.ConditionComplete)
}

// TestAQuotaOnJobsIsReported has the API server refuse the manager's own write.
func TestAQuotaOnJobsIsReported(t *testing.T) {
	t.Parallel()
	p := sharedPlatform(t)
	ns := p.namespace(t)
	quota := p.quota(t, ns, "no-jobs", "count/jobs.batch")
	sweep := weights().Obj()
	p.create(t, ns, sweep)
	p.untilBlocked(t, sweep, "create Job weights-", "exceeded quota: no-jobs")
	p.setQuota(t, quota, 100)
	p.until(t, sweep, v1alpha1.ConditionComplete)
}
