// SPDX-License-Identifier: Apache-2.0

package scheduling

// ShortestPrompt serves short prompts first: shortest job first, as far as an
// engine can tell, since it does not know the length of an answer. A long
// prompt may wait for as long as shorter ones keep coming. vLLM has no such
// policy; it is here to be compared with.
type ShortestPrompt struct{}

// Rank returns the length of the prompt in tokens.
func (ShortestPrompt) Rank(j Job) int64 { return int64(j.PromptTokens) }

// PreemptsByRank returns false: what was computed of a long prompt is worth
// keeping.
func (ShortestPrompt) PreemptsByRank() bool { return false }
