// SPDX-License-Identifier: Apache-2.0

package keda

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/hpa"
)

// Spec is what the author of a ScaledObject writes.
type Spec struct {
	// Polling is how often the caller asks the triggers; 30 s where it is 0.
	Polling time.Duration
	// Cooldown is how long the triggers must be inactive; 5 min where it is nil.
	Cooldown *time.Duration
	// InitialCooldown counts from the creation of the object, until the first activity.
	InitialCooldown time.Duration
	// Idle is the count without activity, below Min. Min is it where Idle is nil, but only a Min of
	// 0 is below what the autoscaler can do.
	Idle *int32
	Min  int32
	// Max is 100 where it is 0.
	Max      int32
	Triggers []Trigger
	// Modifiers are nil where each trigger is a metric of its own.
	Modifiers *Modifiers `json:"-"`
	// Fallback is nil where a trigger that fails has no value.
	Fallback *Fallback
	// Behavior is the autoscaler's.
	Behavior    *hpa.Behavior
	Annotations Annotations `json:",omitzero"`
}

// Annotations are those by which KEDA is paused or forced.
type Annotations struct {
	// Paused ends the autoscaler, and all that KEDA does itself. Replicas is the count that the
	// target gets before; nil where it keeps its own.
	Paused   bool
	Replicas *int32
	// PausedIn and PausedOut stop one direction, of the autoscaler too.
	PausedIn, PausedOut bool
	// Forced stands for a trigger that is always active.
	Forced bool
}

// Trigger is a source of a metric.
type Trigger struct {
	// Name is what a formula calls it.
	Name string `json:",omitzero"`
	// Metric is an External one. One of the sources Resource and ContainerResource is for the
	// autoscaler only: KEDA does not ask it.
	Metric hpa.Metric
	// Activation is the value above which the trigger is active.
	Activation float64
}

// asked reports whether KEDA asks the trigger.
func (t *Trigger) asked() bool { return t.Metric.Source == hpa.External }

// Fallback is what a trigger that fails is taken to say.
type Fallback struct {
	// FailureThreshold is how many failures in a row are without a fallback.
	FailureThreshold int32
	Replicas         int32
	// Behavior is Static where it is empty.
	Behavior FallbackBehavior
}

// FallbackBehavior is which count a fallback holds.
type FallbackBehavior string

// The behaviours of a fallback: its own count, the current one, or the larger or the smaller of
// both; or what a formula makes of a trigger without a value.
const (
	Static                  FallbackBehavior = "static"
	CurrentReplicas         FallbackBehavior = "currentReplicas"
	CurrentReplicasIfHigher FallbackBehavior = "currentReplicasIfHigher"
	CurrentReplicasIfLower  FallbackBehavior = "currentReplicasIfLower"
	ByFormula               FallbackBehavior = "scalingModifiers"
)

// defaults fills in what the author leaves open.
func defaults(spec Spec) Spec {
	if spec.Polling == 0 {
		spec.Polling = 30 * time.Second
	}
	if spec.Cooldown == nil {
		cooldown := 5 * time.Minute
		spec.Cooldown = &cooldown
	}
	if spec.Max == 0 {
		spec.Max = 100
	}
	return spec
}
