// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/printable"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
)

// maxMessage bounds a condition's message, in bytes: a status has several, and
// the same in each.
const maxMessage = 2048

// phase says where work stands.
type phase int

const (
	// phaseReconciling: the work proceeds without help.
	phaseReconciling phase = iota
	// phaseSuspended: the spec suspends the work.
	phaseSuspended
	// phaseStalled: the work cannot proceed until a user acts.
	phaseStalled
	// phaseFailed: the work has ended without all results.
	phaseFailed
	// phaseComplete: all results exist.
	phaseComplete
)

// conditions are the condition types that are True in addition to Ready. Types that are
// not are left out rather than False: Argo CD's check of Jobs taught its users
// to look at types alone.
var conditions = map[phase][]string{
	phaseReconciling: {v1alpha1.ConditionReconciling},
	phaseSuspended:   {v1alpha1.ConditionSuspended},
	phaseStalled:     {v1alpha1.ConditionStalled},
	phaseFailed:      {v1alpha1.ConditionFailed, v1alpha1.ConditionStalled},
	phaseComplete:    {v1alpha1.ConditionComplete},
}

// ownConditions are the types that the controllers write.
var ownConditions = []string{
	v1alpha1.ConditionReady,
	v1alpha1.ConditionComplete,
	v1alpha1.ConditionFailed,
	v1alpha1.ConditionSuspended,
	v1alpha1.ConditionReconciling,
	v1alpha1.ConditionStalled,
}

// standing is what a status says in its conditions.
type standing struct {
	phase   phase
	reason  string
	message string
}

// needsEvent reports whether it is recorded as an event. Work that proceeds is
// not: its actions are events already.
func (v standing) needsEvent() bool { return v.phase != phaseReconciling || v.isBlocked() }

// isBlocked reports whether work waits for what only others can give it.
func (v standing) isBlocked() bool { return v.reason == v1alpha1.ReasonBlocked }

func (v standing) event() recordedEvent {
	return recordedEvent{
		warning: v.phase == phaseStalled || v.phase == phaseFailed || v.isBlocked() || v.reason == v1alpha1.ReasonNothingServed,
		reason:  v.reason,
		action:  "Reconcile",
		note:    v.message,
	}
}

// setConditions writes a standing. A condition's transition time is that of its
// last change between True and False, or of its appearance.
func setConditions(st *v1alpha1.CommonStatus, v standing, now time.Time) {
	ready := metav1.ConditionFalse
	if v.phase == phaseComplete {
		ready = metav1.ConditionTrue
	}
	set := func(typ string, status metav1.ConditionStatus) {
		meta.SetStatusCondition(&st.Conditions, metav1.Condition{
			Type:               typ,
			Status:             status,
			ObservedGeneration: st.ObservedGeneration,
			LastTransitionTime: metav1.NewTime(now),
			Reason:             v.reason,
			Message:            printable.Clip(v.message, maxMessage),
		})
	}
	set(v1alpha1.ConditionReady, ready)
	for _, typ := range ownConditions[1:] {
		if slices.Contains(conditions[v.phase], typ) {
			set(typ, metav1.ConditionTrue)
		} else {
			meta.RemoveStatusCondition(&st.Conditions, typ)
		}
	}
}

// setPassed writes what came of the gates: Unknown as long as there are no
// results, and nothing where there are no gates.
func setPassed(st *v1alpha1.CommonStatus, v *study.Judged, gates int, now time.Time) {
	if gates == 0 {
		meta.RemoveStatusCondition(&st.Conditions, v1alpha1.ConditionPassed)
		return
	}
	c := metav1.Condition{
		Type: v1alpha1.ConditionPassed, Status: metav1.ConditionUnknown, Reason: v1alpha1.ReasonPending,
		Message: "the gates are evaluated once all results are available", ObservedGeneration: st.ObservedGeneration, LastTransitionTime: metav1.NewTime(now),
	}
	if v != nil {
		judged := v.Passed()
		c.Status, c.Reason, c.Message = judged.Status, judged.Reason, printable.Clip(judged.Message, maxMessage)
	}
	meta.SetStatusCondition(&st.Conditions, c)
}

// isTrue reports whether a status has a condition that is True.
func isTrue(st *v1alpha1.CommonStatus, typ string) bool {
	return meta.IsStatusConditionTrue(st.Conditions, typ)
}

// readyReason returns the reason of condition Ready, or nothing.
func readyReason(st *v1alpha1.CommonStatus) string {
	if c := meta.FindStatusCondition(st.Conditions, v1alpha1.ConditionReady); c != nil {
		return c.Reason
	}
	return ""
}
