// SPDX-License-Identifier: Apache-2.0

package hpa

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// Scale is what the autoscaler sees of its target at a sync.
type Scale struct {
	// Spec is the count that the target is to have, and Status the count of pods that it has.
	Spec, Status int32
	// Pods are all pods of the target, in any order.
	Pods []Pod
}

// Pod is a pod of the target, apart from its metrics.
type Pod struct {
	Phase Phase
	// Terminating says that the pod has a deletion timestamp.
	Terminating bool
	Readiness   Readiness
	// Transition is when Readiness last changed.
	Transition simtime.Time
	// Start is when the kubelet took the pod.
	Start simtime.Time
}

// runsReady reports whether a metric of one value counts the pod. A terminating pod counts
// until it is not ready.
func (p *Pod) runsReady() bool { return p.Phase == Running && p.Readiness == Ready }

// Phase is the phase of a pod.
type Phase string

// The phases of pods that are kept running.
const (
	Pending Phase = "Pending"
	Running Phase = "Running"
	Failed  Phase = "Failed"
)

// Readiness is the condition Ready of a pod.
type Readiness string

// NoCondition also stands for a pod without a start time, and Unknown for one whose node is
// silent.
const (
	NoCondition Readiness = ""
	NotReady    Readiness = "False"
	Unknown     Readiness = "Unknown"
	Ready       Readiness = "True"
)

// Observation is what one metric says at a sync.
type Observation struct {
	// Failed says that the metrics API gave an error.
	Failed bool
	// Values are those of an Object (one) or an External metric (any number), in thousandths.
	// None is an error, as from the API.
	Values []int64
	// Readings are those of the other sources, one for each of Scale.Pods in their order.
	Readings []Reading
}

// Reading is what a metric says of a pod.
type Reading struct {
	// Request is what the pod, or the container, requests of the resource, in thousandths;
	// negative where a container has no request. Only Utilization reads it.
	Request int64
	// Sampled says that there is a sample.
	Sampled bool
	// Value is the sample, in thousandths.
	Value int64
	// At is when the sample was taken and Window the time it covers. Only the CPU's count.
	At     simtime.Time
	Window time.Duration
}
