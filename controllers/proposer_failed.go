// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/printable"
)

// setProposerFailed writes what is wrong with the answers of a proposer, and records an event
// where the reason is a new one.
func (d reporter) setProposerFailed(st *v1alpha1.CommonStatus) {
	if d.plan == nil {
		meta.RemoveStatusCondition(&st.Conditions, v1alpha1.ConditionProposerFailed)
		return
	}
	if d.results.study == nil {
		return // the study is over, and its condition stays
	}
	reason, words := d.results.study.proposerFailure()
	if reason == "" {
		meta.RemoveStatusCondition(&st.Conditions, v1alpha1.ConditionProposerFailed)
		return
	}
	words = printable.Clip(words, maxMessage)
	before := meta.FindStatusCondition(d.subject.status().Conditions, v1alpha1.ConditionProposerFailed)
	if before == nil || before.Reason != reason {
		d.decision.events = append(d.decision.events, recordedEvent{true, reason, "Reconcile", words})
	}
	meta.SetStatusCondition(&st.Conditions, metav1.Condition{
		Type:               v1alpha1.ConditionProposerFailed,
		Status:             metav1.ConditionTrue,
		ObservedGeneration: st.ObservedGeneration,
		LastTransitionTime: metav1.NewTime(d.now),
		Reason:             reason,
		Message:            words,
	})
}

// proposerFailure says how many inquiries have no answer and why the last of them has none, or
// else which policies cannot be used; the reason is "" where there is nothing of the kind.
func (s *studyState) proposerFailure() (reason, words string) {
	inquiries, unanswered, dropped := 0, 0, 0
	var lastError, lastDrop string
	for _, p := range s.answers() {
		for i := range p.entries {
			e := &p.entries[i]
			inquiries++
			at := fmt.Sprintf("generation %d, island %d: ", e.Generation, e.Island)
			if e.Error != "" {
				unanswered++
				lastError = at + e.Error
			}
			if len(e.Dropped) > 0 {
				dropped++
				lastDrop = at + joinFirst(e.Dropped)
			}
		}
	}
	switch {
	case unanswered > 0:
		return v1alpha1.ReasonNoProposals, fmt.Sprintf("%d of %s had no answer, and changes of Windtunnel take the place of proposals; the last one: %s",
			unanswered, inquiriesMessage(inquiries), lastError)
	case dropped > 0:
		return v1alpha1.ReasonProposalsDropped, fmt.Sprintf("%d of %s had policies that cannot be used; the last one: %s", dropped, inquiriesMessage(inquiries), lastDrop)
	}
	return "", ""
}

// inquiriesMessage is a number of inquiries.
func inquiriesMessage(n int) string {
	if n == 1 {
		return "1 inquiry"
	}
	return fmt.Sprintf("%d inquiries", n)
}
