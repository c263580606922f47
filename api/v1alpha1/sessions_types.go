// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// Sessions are conversations. With thinkTime, arrivals begin conversations, and each
// further turn comes a think time after the answer to the turn before it. In a closed
// loop each user has one conversation at a time. With concurrent, no turn waits for an
// answer: an arrival is the next turn of one of the conversations, so the time between
// two turns is about concurrent divided by rate.
type Sessions struct {
	// concurrent is the number of concurrent conversations of the client, or of each
	// copy, if turns do not wait. When one ends, the next begins.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100000
	Concurrent *int32 `json:"concurrent,omitempty"`
	// thinkTime is the time from an answer to the next turn of the conversation. In
	// a closed loop it is that of closedLoop if it is not set. A conversation ends
	// with a turn that is rejected or fails.
	// +optional
	ThinkTime *Durations `json:"thinkTime,omitempty"`
	// turns is the distribution of the number of turns of a conversation. Its lengths
	// are in turns, not tokens.
	// +required
	Turns Lengths `json:"turns,omitzero"`
	// context says what of the previous turns the prompt of a turn contains.
	// +optional
	// +kubebuilder:default=Accumulate
	Context SessionContext `json:"context,omitempty"`
	// condense says how a context that condenses is summarised.
	// +optional
	Condense *Condense `json:"condense,omitempty"`
	// promptGrowth is the factor, at most 10, from what a turn asks to what the next
	// turn asks, within the bounds of inputTokens.
	// +optional
	PromptGrowth PositiveDecimal `json:"promptGrowth,omitempty"`
	// answerVariation makes answers change from turn to turn: the length of each is
	// multiplied by a random factor that follows from the one of the previous turn.
	// It is the coefficient of variation, at most 10, of one such step. Lengths stay
	// within the bounds of outputTokens.
	// +optional
	AnswerVariation PositiveDecimal `json:"answerVariation,omitempty"`
	// tools make turns call tools. Turns must wait for answers.
	// +optional
	Tools *Tools `json:"tools,omitempty"`
	// branches make turns several requests at once. Turns must wait for answers.
	// +optional
	Branches *Branches `json:"branches,omitempty"`
	// maxTokens is the maximum length of a prompt that contains previous turns. A
	// conversation ends before a prompt that would be longer. With context Window, the
	// oldest turns are dropped first.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10000000
	MaxTokens *int32 `json:"maxTokens,omitempty"`
	// order says which conversation an arrival continues.
	// +optional
	// +kubebuilder:default=Cycle
	Order Order `json:"order,omitempty"`
}
