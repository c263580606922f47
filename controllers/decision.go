// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
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
