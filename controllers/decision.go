// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
)

// decision is what decide wants done: acts in order, then one status, then the
// cleanup. Each of them may be the last one that is carried out; the next
// decision goes on from there.
type decision struct {
	acts []act
	// status is the subject with its new status, or nil where the status stays
	// as it is.
	status subject
	// news is told once the status is written.
	news []news
	// cleanup deletes what the new status does not need.
	cleanup []act
	// requeueAfter is when to look again where no watch will tell; 0 is never.
	requeueAfter time.Duration
}

// verb is what an act does to its object.
type verb string

const (
	create verb = "create"
	// ensure creates what is named by its content: being there is success, unless
	// it is somebody else's.
	ensure verb = "ensure"
	remove verb = "delete"
	// unwind deletes a Job once its pods have ended.
	unwind  verb = "unwind"
	suspend verb = "suspend"
	resume  verb = "resume"
)

// api is the verb of the API that does it.
func (v verb) api() string {
	switch v {
	case create, ensure:
		return "create"
	case remove, unwind:
		return "delete"
	default:
		return "patch"
	}
}

// act is one write, and why.
type act struct {
	verb   verb
	object client.Object
	why    string
}

// String names the act without its reason.
func (a act) String() string {
	return fmt.Sprintf("%s %s %s", a.verb, kindOf(a.object), a.object.GetName())
}

// news tells people of a change.
type news struct {
	warning              bool
	reason, action, note string
}

// draft is a decision in the making. The parts of a decider share one.
type draft struct {
	*observation
	now      time.Time
	decision decision
	// resultsStatus is what the status is to say of results.
	resultsStatus *v1alpha1.ResultsStatus
	// indexed are the chunks that the index lists; nil where that is not known.
	indexed map[string]bool
	// gatesVerdict is the verdict on the gates; nil where there are none, or no results
	// yet.
	gatesVerdict *experiment.Verdict
	// remark says what was not done for a complete subject.
	remark string
	// nothingServed says why no request was served; "" where some were.
	nothingServed string
	// awaited are children whose deletion is awaited because others take their names.
	awaited []string
	// held says that the spec or a queue holds the work.
	held bool
}

// do adds an act.
func (d *draft) do(a act) { d.decision.acts = append(d.decision.acts, a) }

// clean adds an act of the cleanup.
func (d *draft) clean(object client.Object, why string) {
	d.decision.cleanup = append(d.decision.cleanup, act{remove, object, why})
}

// reported is the subject as its status is to be.
func (d *draft) reported() subject {
	if d.decision.status != nil {
		return d.decision.status
	}
	return d.subject
}

// cleans reports whether the decision deletes an object afterwards already.
func (d *draft) cleans(object metav1.Object) bool {
	for _, a := range d.decision.cleanup {
		if a.object.GetUID() == object.GetUID() && a.object.GetName() == object.GetName() {
			return true
		}
	}
	return false
}

// removes reports whether the decision deletes an object already.
func (d *draft) removes(object metav1.Object) bool {
	for _, a := range d.decision.acts {
		if a.verb.api() == "delete" && a.object.GetUID() == object.GetUID() {
			return true
		}
	}
	return false
}

// lookAgain has the subject looked at again after a while at the latest.
func (d *draft) lookAgain(after time.Duration) {
	d.decision.requeueAfter = sooner(d.decision.requeueAfter, after)
}
