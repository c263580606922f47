// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/printable"
)

// setRehearsed writes what came of a live run. Of results that serve as they are it stays.
func (d reporter) setRehearsed(st *v1alpha1.CommonStatus, v standing) {
	r := d.results.rehearsal
	switch {
	case d.plan == nil || d.plan.Live == nil || v.phase != phaseComplete:
		meta.RemoveStatusCondition(&st.Conditions, v1alpha1.ConditionRehearsed)
	case r != nil:
		c := metav1.Condition{
			Type: v1alpha1.ConditionRehearsed, Status: metav1.ConditionFalse, Reason: v1alpha1.ReasonOutsideLimits,
			Message: printable.Clip(r.Message, maxMessage), ObservedGeneration: st.ObservedGeneration, LastTransitionTime: metav1.NewTime(d.now),
		}
		if r.Within {
			c.Status, c.Reason = metav1.ConditionTrue, v1alpha1.ReasonWithinLimits
		}
		meta.SetStatusCondition(&st.Conditions, c)
	}
}
