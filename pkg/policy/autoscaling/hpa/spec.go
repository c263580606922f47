// SPDX-License-Identifier: Apache-2.0

package hpa

import "time"

// Spec is what the author of an autoscaler writes.
type Spec struct {
	// Min is 1 where it is 0.
	Min, Max int32
	// Metrics is CPU at 80 % of the request where it is empty.
	Metrics []Metric
	// Behavior is nil for the rules without one, which differ from an empty one.
	Behavior *Behavior
}

// Metric is a metric and its target.
type Metric struct {
	Source Source
	// CPU says that a Resource or ContainerResource is the CPU: the readiness of pods then
	// decides whether their samples count.
	CPU    bool
	Target Target
}

// Source is where a metric comes from.
type Source string

// The sources of metrics.
const (
	Resource          Source = "Resource"
	ContainerResource Source = "ContainerResource"
	Pods              Source = "Pods"
	Object            Source = "Object"
	External          Source = "External"
)

// perPod reports whether the source has a reading for each pod.
func (s Source) perPod() bool { return s != Object && s != External }

// Target is the value of a metric that the autoscaler aims at.
type Target struct {
	Type TargetType
	// Value is positive: per cent of the request for Utilization, else thousandths.
	Value int64
}

// TargetType is what a target compares.
type TargetType string

// The types of targets. Utilization is for Resource and ContainerResource, Value for Object and
// External. AverageValue is for all sources.
const (
	Utilization  TargetType = "Utilization"
	AverageValue TargetType = "AverageValue"
	Value        TargetType = "Value"
)

// Behavior has the rules of each direction. Defaults are in force for those that are nil.
type Behavior struct {
	ScaleUp, ScaleDown *Rules
}

// Rules bound how the count moves in one direction.
type Rules struct {
	// Window is the stabilisation window, in whole seconds. The default is 0 for scaling up and
	// Options.DownscaleStabilisation for scaling down.
	Window *time.Duration
	// Select is Max where it is empty.
	Select Select
	// Policies are the defaults of the direction where they are nil.
	Policies []Policy
	// Tolerance is in thousandths. The default is Options.Tolerance.
	Tolerance *int64
}

// Select is the policy to follow when there are several.
type Select string

// Max is the policy that allows the most change, Min the one that allows the least, and Disabled
// allows no change.
const (
	Max      Select = "Max"
	Min      Select = "Min"
	Disabled Select = "Disabled"
)

// Policy allows a change of a number of pods, or of a percentage of them, in a period.
type Policy struct {
	Type   PolicyType
	Value  int32
	Period time.Duration
}

// PolicyType is the unit of a policy's value.
type PolicyType string

// The units of policies.
const (
	PodsPolicy    PolicyType = "Pods"
	PercentPolicy PolicyType = "Percent"
)
