// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// Rollout moves the traffic of the scenario's route to one of its backends in steps.
type Rollout struct {
	// backend is the router of the backend that takes over the traffic, such as canary.
	// At each step the other backends share the rest by their weights.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	Backend string `json:"backend,omitempty"`
	// steps are the shares of the traffic that the backend has one after the other, in
	// percent, such as 10, 25, 50 and 100. The baseline is the share 0.
	// +required
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=20
	// +kubebuilder:validation:items:Minimum=1
	// +kubebuilder:validation:items:Maximum=100
	// +kubebuilder:validation:XValidation:rule="self.isSorted()",message="must rise from step to step"
	Steps []int32 `json:"steps,omitempty"`
}

// StepStatus is what came of the gates at a step of a rollout.
type StepStatus struct {
	// percent is the share of the traffic that the backend has.
	// +required
	Percent int32 `json:"percent"`
	// verdict is Pass, Fail or Unknown, of this step alone.
	// +required
	Verdict GateOutcome `json:"verdict"`
	// reason is that of condition Passed, if the step decided alone.
	// +required
	// +kubebuilder:validation:MaxLength=64
	Reason string `json:"reason"`
	// message names the first gate that does not pass, with figures.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	Message string `json:"message,omitempty"`
}
