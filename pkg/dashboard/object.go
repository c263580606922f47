// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"net/url"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// Resource names a kind of objects, as the API does.
type Resource string

// The resources that have pages.
const (
	Sweeps Resource = "policysweeps"
	Runs   Resource = "simulationruns"
)

// resources are all of them, in the order of lists.
var resources = []Resource{Sweeps, Runs}

// Kind is the resource as manifests have it.
func (r Resource) Kind() string {
	if r == Sweeps {
		return "PolicySweep"
	}
	return "SimulationRun"
}

// Key names an object.
type Key struct {
	Resource        Resource
	Namespace, Name string
}

// path is where the page of the object is.
func (k Key) path() string {
	return "/namespaces/" + url.PathEscape(k.Namespace) + "/" + string(k.Resource) + "/" + url.PathEscape(k.Name)
}

// Object is a run or a sweep. Readers must not change what it points to.
type Object struct {
	Key
	// Version is another one after each change.
	Version string
	// Created is zero for what was printed to a file.
	Created time.Time
	Status  *v1alpha1.CommonStatus
	// Best and Baseline are points of a sweep, and Followed the runs of its best points.
	Best, Baseline *v1alpha1.Candidate
	Followed       []string
	// Metrics are those of a run.
	Metrics []v1alpha1.MetricValue
	// File is what the object was read from, if that was a file.
	File string
}

// States of objects. Others are reasons of condition Ready.
const (
	stateNew      = "New"
	stateComplete = v1alpha1.ReasonComplete
)

// State is where the work of the object stands, in a word.
func (o *Object) State() string {
	ready := meta.FindStatusCondition(o.Status.Conditions, v1alpha1.ConditionReady)
	switch {
	case meta.IsStatusConditionTrue(o.Status.Conditions, v1alpha1.ConditionResultsDamaged):
		return v1alpha1.ReasonResultsDamaged
	case ready != nil:
		return ready.Reason
	case o.File != "":
		return stateComplete
	default:
		return stateNew
	}
}

// Ended reports whether the work is over, well or not.
func (o *Object) Ended() bool {
	return o.State() == stateComplete ||
		meta.IsStatusConditionTrue(o.Status.Conditions, v1alpha1.ConditionComplete) ||
		meta.IsStatusConditionTrue(o.Status.Conditions, v1alpha1.ConditionFailed)
}

// Failed reports whether the work ended without all results, or cannot proceed.
func (o *Object) Failed() bool {
	return meta.IsStatusConditionTrue(o.Status.Conditions, v1alpha1.ConditionFailed) ||
		meta.IsStatusConditionTrue(o.Status.Conditions, v1alpha1.ConditionStalled)
}

// Message is what condition Ready says in words.
func (o *Object) Message() string {
	if c := meta.FindStatusCondition(o.Status.Conditions, v1alpha1.ConditionReady); c != nil {
		return c.Message
	}
	return ""
}

// Verdict is what came of all gates; "" if there are none.
func (o *Object) Verdict() v1alpha1.GateVerdict {
	if c := meta.FindStatusCondition(o.Status.Conditions, v1alpha1.ConditionPassed); c != nil {
		return map[metav1.ConditionStatus]v1alpha1.GateVerdict{
			metav1.ConditionTrue: v1alpha1.GatePass, metav1.ConditionFalse: v1alpha1.GateFail, metav1.ConditionUnknown: v1alpha1.GateUnknown,
		}[c.Status]
	}
	var worst v1alpha1.GateVerdict
	for _, g := range o.Status.Gates {
		switch {
		case g.Verdict == v1alpha1.GateFail:
			return g.Verdict
		case worst == "" || g.Verdict == v1alpha1.GateUnknown:
			worst = g.Verdict
		}
	}
	return worst
}
