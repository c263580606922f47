// SPDX-License-Identifier: Apache-2.0

package scheduling

// ShortestPrompt serves short prompts first: shortest job first without any guess of
// the answer. A long prompt may wait for as long as shorter ones keep coming. vLLM has
// no such policy. What was computed of a long prompt is worth keeping, so the request
// that was admitted last gives way.
func ShortestPrompt() Scheduler {
	return Scheduler{Order: func(j Job) int64 { return int64(j.PromptTokens) }}
}
