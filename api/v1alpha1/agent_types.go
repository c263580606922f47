// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// Tools make the turns of a conversation call tools. After the answer to a turn come its
// calls, one after the other. A call takes its latency outside the cluster. Then the
// next request of the turn has everything before it and the call's result.
type Tools struct {
	// probability is the probability, at most 1, that a turn calls tools. Without it,
	// every turn does.
	// +optional
	Probability PositiveDecimal `json:"probability,omitempty"`
	// calls is the number of calls of such a turn, at most 1000. A turn of n calls has
	// n+1 requests.
	// +required
	Calls Amounts `json:"calls,omitzero"`
	// latency is the time of a call.
	// +required
	Latency Durations `json:"latency,omitzero"`
	// resultTokens is the length of a call's result.
	// +required
	ResultTokens Amounts `json:"resultTokens,omitzero"`
}

// Branches make a turn several requests at once, such as those of subagents, or several
// samples of one answer. Each branch has the conversation and what the turn asks as its
// prefix. When the slowest branch is answered, all answers join the conversation, in the
// order of the branches.
type Branches struct {
	// probability is the probability, at most 1, that a turn has branches. Without it,
	// every turn has.
	// +optional
	Probability PositiveDecimal `json:"probability,omitempty"`
	// count is the number of branches of such a turn, at most 64.
	// +required
	Count Amounts `json:"count,omitzero"`
	// inputTokens is the length of a branch's own prompt, which does not join the
	// conversation. Without it, all branches have the same prompt.
	// +optional
	InputTokens *Amounts `json:"inputTokens,omitempty"`
}
