// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// Media are images, audio or videos of prompts, as the tokens that the model sees in
// their place. They come before the prompt's own text, in the order of the list. The time
// of encoders is not simulated.
type Media struct {
	// kind is what they are.
	// +required
	Kind MediaKind `json:"kind,omitempty"`
	// probability is the probability, at most 1, that a request has some. Without it,
	// every request has.
	// +optional
	Probability PositiveDecimal `json:"probability,omitempty"`
	// count is the number of such a request, at most 100.
	// +required
	Count Amounts `json:"count,omitzero"`
	// tokens is the length of one.
	// +required
	Tokens Amounts `json:"tokens,omitzero"`
	// pool is the number of different ones that the client, or each copy, sends again
	// and again, each with a length that is drawn once. Without it, all are different.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100000
	Pool *int32 `json:"pool,omitempty"`
}

// MediaKind is a kind of media.
// +kubebuilder:validation:Enum=Image;Audio;Video
type MediaKind string

// The kinds of media.
const (
	// ImageMedia are still pictures.
	ImageMedia MediaKind = "Image"
	// AudioMedia are sound recordings.
	AudioMedia MediaKind = "Audio"
	// VideoMedia are moving pictures.
	VideoMedia MediaKind = "Video"
)
