// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// Timeout is how long a client waits for an answer before it gives the request up. The
// gateway and the engine then drop the request, wherever it is.
//
// +kubebuilder:validation:AtLeastOneOf=firstToken;total
type Timeout struct {
	// firstToken is the time from the arrival to the first token.
	// +optional
	FirstToken PositiveDuration `json:"firstToken,omitempty"`
	// total is the time from the arrival to the end of the answer.
	// +optional
	Total PositiveDuration `json:"total,omitempty"`
}

// RetryReason is an end after which a client tries again.
// +kubebuilder:validation:Enum=Rejected;TimedOut;Failed
type RetryReason string

const (
	// RetryRejected is an end by the gateway or the engine.
	RetryRejected RetryReason = "Rejected"
	// RetryTimedOut is a request that the client gave up.
	RetryTimedOut RetryReason = "TimedOut"
	// RetryFailed is the failure of the replica.
	RetryFailed RetryReason = "Failed"
)

// Retry lets a client send a request again that was not answered. A retry is a new
// request with the same prompt and answer. It counts as an arrival.
type Retry struct {
	// max is the number of retries of one request.
	// +required
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	Max int32 `json:"max,omitempty"`
	// after lists the ends after which the client tries again. (YAML reads the shorter
	// on as a boolean.)
	// +optional
	// +kubebuilder:default={Rejected,TimedOut,Failed}
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=3
	After []RetryReason `json:"after,omitempty"`
	// backoff is the time from an end to the first retry.
	// +optional
	// +kubebuilder:default="0s"
	Backoff Duration `json:"backoff,omitempty"`
	// multiplier is how many times as long each further backoff is as the one
	// before, from 1 to 10.
	// +optional
	// +kubebuilder:default="2"
	Multiplier PositiveDecimal `json:"multiplier,omitempty"`
	// maxBackoff bounds the backoff. Without it, the backoff has no bound.
	// +optional
	MaxBackoff PositiveDuration `json:"maxBackoff,omitempty"`
	// jitter is the share of a backoff that is random, from 0 to 1. With "1" a
	// retry comes at any time up to the backoff.
	// +optional
	// +kubebuilder:default="0"
	Jitter NonNegativeDecimal `json:"jitter,omitempty"`
}
