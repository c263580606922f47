// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
)

// maxFindings is how many findings a condition and an event name.
const maxFindings = 5

// lint writes what the linter finds in the router's configuration, and tells it
// once for each generation. Nothing is said of a spec that cannot be compiled:
// its errors are in the other conditions.
func (d reporter) lint(st *v1alpha1.CommonStatus) {
	switch {
	case len(d.specErrors) > 0:
		meta.RemoveStatusCondition(&st.Conditions, v1alpha1.ConditionLinted)
		return
	case d.plan == nil:
		return
	}
	linted := metav1.Condition{
		Type:               v1alpha1.ConditionLinted,
		Status:             metav1.ConditionTrue,
		ObservedGeneration: st.ObservedGeneration,
		LastTransitionTime: metav1.NewTime(d.now),
		Reason:             v1alpha1.ReasonNoFindings,
		Message:            "windtunnel lint has neither errors nor warnings for the router's configuration",
	}
	if words := findingWords(d.plan.Findings); words != "" {
		linted.Status, linted.Reason, linted.Message = metav1.ConditionFalse, v1alpha1.ReasonLintFindings, clip(words, maxMessage)
		before := meta.FindStatusCondition(d.subject.status().Conditions, v1alpha1.ConditionLinted)
		if before == nil || before.ObservedGeneration != st.ObservedGeneration {
			d.decision.news = append(d.decision.news, news{true, v1alpha1.ReasonLintFindings, "Lint", words})
		}
	}
	meta.SetStatusCondition(&st.Conditions, linted)
}

// findingWords tells the errors and warnings, the first few in full; nothing
// where there are none.
func findingWords(findings []experiment.Finding) string {
	var all []string
	for _, f := range findings {
		if f.Grave() {
			all = append(all, f.String())
		}
	}
	if len(all) == 0 {
		return ""
	}
	words := count(len(all), "finding") + ": " + strings.Join(all[:min(len(all), maxFindings)], "; ")
	if more := len(all) - maxFindings; more > 0 {
		words += fmt.Sprintf("; and %d more", more)
	}
	return words + "; windtunnel lint says why, and what to do instead"
}
