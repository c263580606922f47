// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// Stability is a controller that watches the KV cache of each replica of a pool. It
// estimates the number of blocks that requests need at the current rate, and the
// rate above which the wait queue grows without limit.
//
// +structType=atomic
type Stability struct {
	// controller is the form of the estimate: Queueing, or QueueingSeed. QueueingSeed
	// is the literal original of Queueing, with its errors, for comparison.
	// +optional
	// +kubebuilder:default=Queueing
	Controller StabilityController `json:"controller,omitempty"`
	// window is the time constant of all estimates: an event one window ago counts
	// for a third.
	// +optional
	// +kubebuilder:default="1m"
	Window PositiveDuration `json:"window,omitempty"`
	// margin is the factor, at least 1, between the mean number of blocks in use and
	// the number of blocks needed.
	// +optional
	// +kubebuilder:default="1.15"
	Margin PositiveDecimal `json:"margin,omitempty"`
	// marginDeviations is the number of standard deviations above the mean of the
	// blocks in use, if that gives more blocks than margin. It applies to Queueing
	// only.
	// +optional
	// +kubebuilder:default="2"
	MarginDeviations NonNegativeDecimal `json:"marginDeviations,omitempty"`
	// minEvictionInterval is the minimum time between two evictions, except those
	// that keep the cache from filling up.
	// +optional
	// +kubebuilder:default="100ms"
	MinEvictionInterval Duration `json:"minEvictionInterval,omitempty"`
	// minCompletions is the number of completed requests before the first estimate.
	// It applies to Queueing only.
	// +optional
	// +kubebuilder:default=10
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000
	MinCompletions int32 `json:"minCompletions,omitempty"`
	// evict lets the controller evict cached blocks before the engine needs their
	// places. It did not help for any load that was tried.
	// +optional
	// +kubebuilder:default=Disabled
	Evict Switch `json:"evict,omitempty"`
	// admission is the treatment of a request for which the controller finds no room.
	// Always admits it if its blocks fit, Queue leaves it in the wait queue, and
	// Refuse rejects it when it arrives.
	// +optional
	// +kubebuilder:default=Always
	Admission StabilityAdmission `json:"admission,omitempty"`
}

// StabilityController names a form of the controller.
// +kubebuilder:validation:Enum=Queueing;QueueingSeed
type StabilityController string

const (
	// QueueingController is the corrected form of the estimate.
	QueueingController StabilityController = "Queueing"
	// QueueingSeedController is the literal original of Queueing.
	QueueingSeedController StabilityController = "QueueingSeed"
)

// StabilityAdmission is whether admission consults the controller.
// +kubebuilder:validation:Enum=Always;Queue;Refuse
type StabilityAdmission string

const (
	// AlwaysAdmission does not consult the controller.
	AlwaysAdmission StabilityAdmission = "Always"
	// QueueAdmission leaves the request in the wait queue.
	QueueAdmission StabilityAdmission = "Queue"
	// RefuseAdmission rejects the request.
	RefuseAdmission StabilityAdmission = "Refuse"
)
