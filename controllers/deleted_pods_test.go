// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/pkg/experiment/store"
)

// goner is a pod of a Job that was stopped half-way.
func goner(job, name string) *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Name: name, UID: types.UID(name), OwnerReferences: []metav1.OwnerReference{{Kind: "Job", UID: types.UID(job), Controller: ptr.To(true)}},
	}}
	exited(130, encodedReport(store.Report{Results: &store.Reference{Name: "list"}, Partial: true}))(pod)
	return pod
}

func TestDeletedPodsAreRemembered(t *testing.T) {
	var l deletedPods
	l.add(goner("a", "1"))
	l.add(goner("b", "2"))
	l.add(goner("a", "3"))
	silent := goner("a", "4")
	exited(137, "")(silent)
	l.add(silent)
	orphan := goner("a", "5")
	orphan.OwnerReferences = nil
	l.add(orphan)
	l.add("no pod")
	if got := l.ofJob("a", []corev1.Pod{*goner("a", "3")}); len(got) != 1 || got[0].Name != "1" {
		t.Errorf("of a, beside 3, there are %d: %v", len(got), got)
	}
	if got := l.ofJob("c", nil); len(got) > 0 {
		t.Errorf("of c there are %d", len(got))
	}
}

func TestDeletedPodsAreForgotten(t *testing.T) {
	var l deletedPods
	for i := range maxDeletedPods + 2 {
		l.add(goner("a", fmt.Sprint(i)))
	}
	if got := l.ofJob("a", nil); len(got) != maxDeletedPods || got[0].Name != "2" {
		t.Errorf("%d are remembered, from %s on", len(got), got[0].Name)
	}
}
