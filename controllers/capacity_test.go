// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// Words of kube-scheduler 1.36 about pods that it finds no node for.
const (
	fullNode   = "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod."
	fullToo    = "0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 Insufficient cpu. preemption: 0/3 nodes are available: 1 Preemption is not helpful for scheduling, 2 No preemption victims found for incoming pod."
	smallNode  = "0/1 nodes are available: 1 Insufficient memory. preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling."
	otherNode  = "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector. preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling."
	manyPods   = "0/1 nodes are available: 1 Too many pods. preemption: not eligible due to preemptionPolicy=Never."
	emptyWords = ""
)

func TestWhichPodsWaitForCapacity(t *testing.T) {
	for words, want := range map[string]bool{
		fullNode: true, fullToo: true, manyPods: true, smallNode: false, otherNode: false, emptyWords: false,
	} {
		if got := nodesAreFull(words); got != want {
			t.Errorf("%q: nodes are full is %t, want %t", words, got, want)
		}
	}
}

// unscheduledPod makes the first pod of a Job, which the scheduler finds no node for.
func (c *cluster) unscheduledPod(o client.Object, words string) {
	c.t.Helper()
	for i := range c.jobs() {
		job := c.jobs()[i]
		if !ownedBy(&job, c.subject(o)) {
			continue
		}
		pod := c.bindPod(&job, 0)
		pod.Status.Conditions = []corev1.PodCondition{{
			Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable,
			Message: words, LastTransitionTime: metav1.NewTime(c.clock.Now()),
		}}
		c.must(c.client.Status().Update(c.t.Context(), pod))
	}
}

// TestPodsThatNoNodeHasRoomFor tells what a sweep says at once, and after the time
// that a pod may wait, with and without another sweep whose pods run.
func TestPodsThatNoNodeHasRoomFor(t *testing.T) {
	for name, tc := range map[string]struct {
		words        string
		others       bool
		first, later string
	}{
		"others of Windtunnel's hold the node": {fullNode, true, v1alpha1.ReasonPending, v1alpha1.ReasonWaitingForCapacity},
		"nobody of Windtunnel's does":          {fullNode, false, v1alpha1.ReasonPending, v1alpha1.ReasonBlocked},
		"no node can ever hold it":             {smallNode, true, v1alpha1.ReasonBlocked, v1alpha1.ReasonBlocked},
		"no node has its labels":               {otherNode, true, v1alpha1.ReasonBlocked, v1alpha1.ReasonBlocked},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCluster(t)
			if tc.others {
				other := weights().UID("other-uid").Obj()
				other.Name = "other"
				c.create(other)
				c.reconcile(other)
				c.startPod(c.job(), 0)
			}
			sweep := weights().Obj()
			c.create(sweep)
			c.reconcile(sweep)
			c.unscheduledPod(sweep, tc.words)
			c.reconcile(sweep)
			if got := readyReason(c.subject(sweep).status()); got != tc.first {
				t.Errorf("at once it is %s, want %s", got, tc.first)
			}
			if _, d := c.decide(sweep); tc.first == v1alpha1.ReasonPending && d.requeueAfter != capacityTimeout {
				t.Errorf("it is looked at again in %s, want %s", d.requeueAfter, capacityTimeout)
			}
			c.pass(capacityTimeout - time.Second)
			c.reconcile(sweep)
			if got := readyReason(c.subject(sweep).status()); got != tc.first {
				t.Errorf("a second before its time it is %s, want %s", got, tc.first)
			}
			c.told()
			c.pass(time.Second)
			c.reconcile(sweep)
			if got := readyReason(c.subject(sweep).status()); got != tc.later {
				t.Errorf("after its time it is %s, want %s", got, tc.later)
			}
			warned := strings.Contains(strings.Join(c.told(), "\n"), "Warning")
			if want := tc.later == v1alpha1.ReasonBlocked && tc.first != tc.later; warned != want {
				t.Errorf("there is a Warning is %t, want %t", warned, want)
			}
		})
	}
}
