// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
)

// decision is what decide wants applied: actions in order, then one status, then the
// cleanup. Each write may be the last one that is applied; the next decision continues
// from there.
type decision struct {
	actions []action
	// status is the subject with its new status, or nil where the status stays
	// as it is.
	status subject
	// events are recorded once the status is written.
	events []recordedEvent
	// cleanup deletes what the new status does not need.
	cleanup []action
	// requeueAfter is when to reconcile again though no watch reports anything; 0 is
	// never.
	requeueAfter time.Duration
}

// verb is what an action does to its object.
type verb string

const (
	verbCreate verb = "create"
	// verbEnsure creates an object whose name contains a digest of its content: an
	// existing one is success, unless another owner has it.
	verbEnsure verb = "ensure"
	verbDelete verb = "delete"
	// verbDeleteForeground deletes a Job once its pods have ended.
	verbDeleteForeground verb = "delete in the foreground"
	verbSuspend          verb = "suspend"
	verbResume           verb = "resume"
)

// api is the verb of the API that does it.
func (v verb) api() string {
	switch v {
	case verbCreate, verbEnsure:
		return "create"
	case verbDelete, verbDeleteForeground:
		return "delete"
	default:
		return "patch"
	}
}

// action is one write, and the reason for it.
type action struct {
	verb   verb
	object client.Object
	why    string
}

// String names the action without its reason.
func (a action) String() string {
	return fmt.Sprintf("%s %s %s", a.verb, kindOf(a.object), a.object.GetName())
}

// recordedEvent is an event about the subject.
type recordedEvent struct {
	warning              bool
	reason, action, note string
}

// statement is what a decision says of the subject.
type statement struct {
	// next is the subject with its next status, but for the conditions and times of the
	// verdict.
	next     subject
	standing standing
	// held says that the spec or a queue holds the work.
	held bool
	// gates is the verdict on the gates; nil without gates, or without results yet.
	gates *study.Judged
}

// whileHeld is the statement on work that the spec or a queue holds.
func (s statement) whileHeld() statement {
	s.held = true
	return s
}

// draft is a decision in the making, but for the status. The parts of a decider share one.
type draft struct {
	*observation
	now      time.Time
	decision decision
	// resultsStatus is what the status is to say of results.
	resultsStatus *v1alpha1.ResultsStatus
	// indexed are the chunks that the index lists; nil where that is not known.
	indexed map[string]bool
	// awaited are children whose deletion is awaited because others take their names.
	awaited []string
}

// setStatus has the status of next written, if it differs.
func (d *draft) setStatus(next subject) {
	if !equality.Semantic.DeepEqual(d.subject.object(), next.object()) {
		d.decision.status = next
	}
}

// act adds an action before the status.
func (d *draft) act(a action) { d.decision.actions = append(d.decision.actions, a) }

// deleteAfterStatus adds a deletion after the status.
func (d *draft) deleteAfterStatus(object client.Object, why string) {
	d.decision.cleanup = append(d.decision.cleanup, action{verbDelete, object, why})
}

// deletesAfterStatus reports whether the cleanup of the decision deletes an object.
func (d *draft) deletesAfterStatus(object metav1.Object) bool {
	return slices.ContainsFunc(d.decision.cleanup, func(a action) bool {
		return a.object.GetUID() == object.GetUID() && a.object.GetName() == object.GetName()
	})
}

// deletesBeforeStatus reports whether the actions of the decision delete an object.
func (d *draft) deletesBeforeStatus(object metav1.Object) bool {
	return slices.ContainsFunc(d.decision.actions, func(a action) bool { return a.verb.api() == "delete" && a.object.GetUID() == object.GetUID() })
}

// requeueWithin has the subject reconciled again after this time at the latest.
func (d *draft) requeueWithin(after time.Duration) {
	d.decision.requeueAfter = sooner(d.decision.requeueAfter, after)
}
