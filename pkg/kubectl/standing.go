// SPDX-License-Identifier: Apache-2.0

package kubectl

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/verdict"
)

// A Standing is what a status says about the spec of a generation, whichever kind has it.
type Standing struct {
	Generation int64
	Status     *v1alpha1.CommonStatus
}

// NotSeen says in words that a status is stale.
const NotSeen = "the manager has not seen the present spec yet"

// condition returns a condition, nil if it is absent.
func (s Standing) condition(typ string) *metav1.Condition {
	return meta.FindStatusCondition(s.Status.Conditions, typ)
}

// is reports whether a condition is True.
func (s Standing) is(typ string) bool {
	return meta.IsStatusConditionTrue(s.Status.Conditions, typ)
}

// IsStale reports whether the status is of an earlier generation, or of none.
func (s Standing) IsStale() bool {
	return s.Status.ObservedGeneration < s.Generation || s.condition(v1alpha1.ConditionReady) == nil
}

// HasEnded reports whether the work on the present generation has ended.
func (s Standing) HasEnded() bool {
	return !s.IsStale() && (s.is(v1alpha1.ConditionComplete) || s.is(v1alpha1.ConditionFailed))
}

// State is where the work stands in one word, as kubectl get prints it.
func (s Standing) State() string {
	c := s.condition(v1alpha1.ConditionReady)
	switch {
	case c == nil:
		return "New"
	case s.is(v1alpha1.ConditionResultsDamaged):
		return v1alpha1.ReasonResultsDamaged
	case s.IsStale():
		return v1alpha1.ReasonPending
	}
	return c.Reason
}

// Outcome is what came of all gates; "" where there are no gates, or no results.
func (s Standing) Outcome() verdict.Outcome {
	c := s.condition(v1alpha1.ConditionPassed)
	if c == nil || s.IsStale() || c.Reason == v1alpha1.ReasonPending {
		return ""
	}
	return verdict.OfCondition(string(c.Status))
}
