// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// Stability watches the KV cache of each replica of a pool. The controller
// estimates how many blocks the requests at this rate are going to hold, and
// with it the rate at which the wait queue begins to grow without end.
type Stability struct {
	// controller is the form of the estimate: Queueing, or QueueingSeed, the one
	// that it was made from, kept to the letter and with its errors to compare
	// with.
	// +optional
	// +kubebuilder:default=Queueing
	Controller StabilityController `json:"controller,omitempty"`
	// window is the time constant of all estimates: what happened one window ago
	// counts for a third.
	// +optional
	// +kubebuilder:default="1m"
	Window PositiveDuration `json:"window,omitempty"`
	// margin is what the mean of the blocks in use is multiplied with to give
	// the blocks that are needed, at least 1.
	// +optional
	// +kubebuilder:default="1.15"
	Margin PositiveDecimal `json:"margin,omitempty"`
	// marginDeviations is how many standard deviations of the blocks in use are
	// kept above their mean, where that is more than margin gives. Queueing
	// only.
	// +optional
	// +kubebuilder:default="2"
	MarginDeviations NonNegativeDecimal `json:"marginDeviations,omitempty"`
	// minEvictionInterval is the least time between two evictions, save those
	// that keep the cache from filling up.
	// +optional
	// +kubebuilder:default="100ms"
	MinEvictionInterval Duration `json:"minEvictionInterval,omitempty"`
	// minCompletions is how many requests have to complete before there is an
	// estimate. Queueing only.
	// +optional
	// +kubebuilder:default=10
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000
	MinCompletions int32 `json:"minCompletions,omitempty"`
	// evict lets the controller empty cached blocks before their places are
	// wanted. No load was found for which that helps, so it is Disabled unless
	// you say so.
	// +optional
	// +kubebuilder:default=Disabled
	Evict Switch `json:"evict,omitempty"`
	// admission is what becomes of a request for which the controller finds no
	// room beside what runs: Always admits it where its blocks fit, Queue leaves
	// it in the wait queue, Refuse turns it away when it arrives.
	// +optional
	// +kubebuilder:default=Always
	Admission StabilityAdmission `json:"admission,omitempty"`
}

// StabilityController names a form of the controller.
// +kubebuilder:validation:Enum=Queueing;QueueingSeed
type StabilityController string

const (
	// QueueingController is the default.
	QueueingController StabilityController = "Queueing"
	// QueueingSeedController is the one that it was made from, to the letter.
	QueueingSeedController StabilityController = "QueueingSeed"
)

// StabilityAdmission is whether admission consults the controller.
// +kubebuilder:validation:Enum=Always;Queue;Refuse
type StabilityAdmission string

const (
	// AlwaysAdmission does not ask.
	AlwaysAdmission StabilityAdmission = "Always"
	// QueueAdmission leaves the request in the wait queue.
	QueueAdmission StabilityAdmission = "Queue"
	// RefuseAdmission turns the request away.
	RefuseAdmission StabilityAdmission = "Refuse"
)
