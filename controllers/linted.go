// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/printable"
	"windtunnel.dev/windtunnel/pkg/experiment"
)

// maxFindings is how many findings a condition and an event name.
const maxFindings = 5

// setLinted sets condition Linted from the linter's findings in the router's
// configuration, and records one event for each generation. A spec that does not compile
// has no such condition: its errors are in the other conditions.
func (d reporter) setLinted(st *v1alpha1.CommonStatus) {
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
		Message:            "windtunnel lint finds no errors or warnings in the router's configuration",
	}
	if words := findingsMessage(d.plan.Findings); words != "" {
		linted.Status, linted.Reason, linted.Message = metav1.ConditionFalse, v1alpha1.ReasonLintFindings, printable.Clip(words, maxMessage)
		before := meta.FindStatusCondition(d.subject.status().Conditions, v1alpha1.ConditionLinted)
		if before == nil || before.ObservedGeneration != st.ObservedGeneration {
			d.decision.events = append(d.decision.events, recordedEvent{true, v1alpha1.ReasonLintFindings, "Lint", words})
		}
	}
	meta.SetStatusCondition(&st.Conditions, linted)
}

// findingsMessage lists the errors and warnings, the first few in full; ""
// without findings.
func findingsMessage(findings []experiment.Finding) string {
	var all []string
	for _, f := range findings {
		if f.AtLeastWarning() {
			all = append(all, f.String())
		}
	}
	if len(all) == 0 {
		return ""
	}
	words := quantity(len(all), "finding") + ": " + strings.Join(all[:min(len(all), maxFindings)], "; ")
	if more := len(all) - maxFindings; more > 0 {
		words += fmt.Sprintf("; and %d more", more)
	}
	return words + "; windtunnel lint explains each finding"
}
