// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"net/url"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/kubectl"
	"windtunnel.dev/windtunnel/pkg/verdict"
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
		return v1alpha1.PolicySweepKind
	}
	return v1alpha1.SimulationRunKind
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
	// Created is the time of creation, and in a file that of its last change.
	Created time.Time
	// Generation is that of the present spec; 0 in a file.
	Generation int64
	Status     *v1alpha1.CommonStatus
	// Best and Baseline are points of a sweep, and Followed the runs of its best points.
	Best, Baseline *v1alpha1.PointStatus
	Followed       []string
	// Unmet says that no point meets the constraints, so that the best one is the least bad. Only files
	// say so.
	Unmet bool
	// Metrics are those of a run.
	Metrics []v1alpha1.MetricValue
	// File is what the object was read from, if that was a file, and Judged the verdict on its gates; nil
	// without gates.
	File   string
	Judged *verdict.Verdict
}

// nameOfFile tells the name of an object from that of its file, where several files have the object.
const nameOfFile = "@"

// InFile is the key of an object that several files have, in one of them.
func (k Key) InFile(name string) Key {
	k.Name += nameOfFile + name
	return k
}

// printedName is the name that the file has. No name in a cluster has the mark of a file.
func (o *Object) printedName() string {
	name, _, _ := strings.Cut(o.Name, nameOfFile)
	return name
}

// standing is what the status says about the present spec.
func (o *Object) standing() kubectl.Standing {
	return kubectl.Standing{Generation: o.Generation, Status: o.Status}
}

// ofFile reports whether the object is the output of a verb, which has no conditions: its work is over.
func (o *Object) ofFile() bool { return o.File != "" && len(o.Status.Conditions) == 0 }

// State is where the work of the object stands, in a word.
func (o *Object) State() string {
	if o.ofFile() {
		return v1alpha1.ReasonComplete
	}
	return o.standing().State()
}

// Ended reports whether the work on the present spec is over, well or not.
func (o *Object) Ended() bool { return o.ofFile() || o.standing().HasEnded() }

// Failed reports whether the work ended without all results, or cannot proceed.
func (o *Object) Failed() bool {
	return !o.standing().IsStale() && (meta.IsStatusConditionTrue(o.Status.Conditions, v1alpha1.ConditionFailed) ||
		meta.IsStatusConditionTrue(o.Status.Conditions, v1alpha1.ConditionStalled))
}

// Message says in words why the object has its state.
func (o *Object) Message() string {
	typ := v1alpha1.ConditionReady
	switch {
	case o.ofFile():
		return ""
	case meta.IsStatusConditionTrue(o.Status.Conditions, v1alpha1.ConditionResultsDamaged):
		typ = v1alpha1.ConditionResultsDamaged
	case o.standing().IsStale():
		return kubectl.NotSeen
	}
	if c := meta.FindStatusCondition(o.Status.Conditions, typ); c != nil {
		return c.Message
	}
	return ""
}

// judged is the outcome as the page of the object has it: an object that has ended without gates is
// not judged.
func (o *Object) judged() verdict.Outcome {
	if o.Outcome() == "" && o.Ended() && !o.Failed() {
		return verdict.NotJudged
	}
	return o.Outcome()
}

// Outcome is what came of all gates; "" if there are none, or no results.
func (o *Object) Outcome() verdict.Outcome {
	switch {
	case !o.ofFile():
		return o.standing().Outcome()
	case o.Judged == nil:
		return ""
	default:
		return o.Judged.Outcome
	}
}

// sentence says in words what came of all gates; "" if there are none, or no results.
func (o *Object) sentence() string {
	if o.Outcome() == "" {
		return ""
	}
	if o.ofFile() {
		return o.Judged.Message
	}
	return meta.FindStatusCondition(o.Status.Conditions, v1alpha1.ConditionPassed).Message
}
