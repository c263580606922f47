// SPDX-License-Identifier: Apache-2.0

package kubectl

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// attention orders objects: what needs a person most comes first.
type attention int

const (
	hasFailed attention = iota
	hasDamage
	gateFails
	isBlocked
	isUndecided
	isWorking
	isSuspended
	isFine
)

// attention says why an object needs a person, if it does.
func (o Object) attention() attention {
	switch {
	case o.IsStale():
		return isWorking
	case o.is(v1alpha1.ConditionFailed), o.State() == v1alpha1.ReasonNothingServed:
		return hasFailed
	case o.is(v1alpha1.ConditionResultsDamaged):
		return hasDamage
	case o.is(v1alpha1.ConditionSuspended):
		return isSuspended
	case o.is(v1alpha1.ConditionStalled), o.State() == v1alpha1.ReasonBlocked:
		return isBlocked
	case !o.is(v1alpha1.ConditionComplete):
		return isWorking
	}
	if c := o.condition(v1alpha1.ConditionPassed); c != nil {
		switch {
		case c.Status == metav1.ConditionFalse && c.Reason != v1alpha1.ReasonBaselineIsBest:
			return gateFails
		case c.Status == metav1.ConditionUnknown:
			return isUndecided
		}
	}
	return isFine
}

// A Caller is how the command was called: the words that begin each command that messages name.
type Caller struct {
	// Program is windtunnel, or kubectl windtunnel.
	Program string
	// Flags are those that select the cluster, each with a space before it.
	Flags string
}

// Command is a verb with arguments about an object, as a person types it.
func (c Caller) Command(verb string, o Object, more string) string {
	text := c.Program + " " + verb + " " + o.Ref()
	if more != "" {
		text += " " + more
	}
	return text + " -n " + o.Meta().Namespace + c.Flags
}

// kubectl is a command of kubectl about an object.
func (c Caller) kubectl(verb string, o Object, more string) string {
	return "kubectl " + verb + " " + o.Ref() + " -n " + o.Meta().Namespace + c.Flags + more
}

// Next is the command that tells more of an object, "" where there is nothing more to tell.
func (c Caller) Next(o Object) string {
	switch o.attention() {
	case hasFailed:
		if o.failedInPods() {
			return c.Command("logs", o, "")
		}
		return c.Command("explain", o, "")
	case hasDamage, isBlocked:
		return c.kubectl("describe", o, "")
	case gateFails, isUndecided:
		return c.Command("explain", o, "")
	case isWorking:
		return c.Command("watch", o, "")
	case isSuspended:
		return ""
	default:
		if o.Status().Results != nil {
			return c.Command("report", o, "> report.html")
		}
		return ""
	}
}

// failedInPods reports whether the pods of shards are the reason of a failure.
func (o Object) failedInPods() bool {
	switch o.State() {
	case v1alpha1.ReasonJobFailed, v1alpha1.ReasonShardsFailed, v1alpha1.ReasonResultMissing, v1alpha1.ReasonDeadlineExceeded:
		return true
	}
	return false
}
