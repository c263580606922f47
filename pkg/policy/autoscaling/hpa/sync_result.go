// SPDX-License-Identifier: Apache-2.0

package hpa

// SyncResult is the result of a sync.
type SyncResult struct {
	// Replicas is the count that the target is to have from now on.
	Replicas int32
	// Rescale says that Replicas differs from the count before.
	Rescale bool
	// Recommended is the largest proposal of the metrics, or 0 where none was asked or the sync
	// failed.
	Recommended int32
	// Proposals are what each metric proposed, in the order of the spec; empty where no metric
	// was asked. The next Sync overwrites them.
	Proposals []Proposal
	// Chosen is the index of the proposal that Recommended is from, or -1.
	Chosen int

	// Able, Active and Limited are the reasons of the conditions AbleToScale, ScalingActive and
	// ScalingLimited after the sync. An empty one leaves the condition as it was.
	Able, Active, Limited Reason
	// Stabilised is the reason that Able has before a rescale replaces it; empty where the sync
	// did not get that far.
	Stabilised Reason
}

// Proposal is what one metric proposes.
type Proposal struct {
	Replicas int32
	// Usage is the value that the status of the autoscaler shows, in thousandths.
	Usage int64
	// Utilization is in per cent of the requests, for a target of that type.
	Utilization int32
	// Failed is why there is no proposal; empty where there is one.
	Failed Reason
}

// Reason is the reason of a condition.
type Reason string

// The reasons of AbleToScale, of ScalingActive and of ScalingLimited.
const (
	SucceededGetScale   Reason = "SucceededGetScale"
	ReadyForNewScale    Reason = "ReadyForNewScale"
	ScaleUpStabilized   Reason = "ScaleUpStabilized"
	ScaleDownStabilized Reason = "ScaleDownStabilized"
	SucceededRescale    Reason = "SucceededRescale"

	ScalingDisabled                  Reason = "ScalingDisabled"
	ValidMetricFound                 Reason = "ValidMetricFound"
	FailedGetResourceMetric          Reason = "FailedGetResourceMetric"
	FailedGetContainerResourceMetric Reason = "FailedGetContainerResourceMetric"
	FailedGetPodsMetric              Reason = "FailedGetPodsMetric"
	FailedGetObjectMetric            Reason = "FailedGetObjectMetric"
	FailedGetExternalMetric          Reason = "FailedGetExternalMetric"

	DesiredWithinRange Reason = "DesiredWithinRange"
	ScaleUpLimit       Reason = "ScaleUpLimit"
	ScaleDownLimit     Reason = "ScaleDownLimit"
	TooManyReplicas    Reason = "TooManyReplicas"
	TooFewReplicas     Reason = "TooFewReplicas"
)

// failure returns the reason for which a metric of the source has no proposal.
func failure(s Source) Reason {
	switch s {
	case Resource:
		return FailedGetResourceMetric
	case ContainerResource:
		return FailedGetContainerResourceMetric
	case Pods:
		return FailedGetPodsMetric
	case Object:
		return FailedGetObjectMetric
	default:
		return FailedGetExternalMetric
	}
}
