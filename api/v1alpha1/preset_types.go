// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// PresetName names a kind of traffic. docs/presets.md has the fields of each.
// +kubebuilder:validation:Enum=AgenticCoding;Batch;Bursty;CacheBusting;Chatbot;CodeCompletion;HotPrefix;KVExhaustion;OversizedPrompts;RAG;RapidFire;Reasoning;Summarization;SynchronizedBursts
type PresetName string

const (
	// ChatbotPreset is conversations behind a system prompt.
	ChatbotPreset PresetName = "Chatbot"
	// CodeCompletionPreset is long prompts with short answers.
	CodeCompletionPreset PresetName = "CodeCompletion"
	// SummarizationPreset is documents that are all different.
	SummarizationPreset PresetName = "Summarization"
	// RAGPreset is questions over retrieved passages.
	RAGPreset PresetName = "RAG"
	// AgenticCodingPreset is agents that call tools.
	AgenticCodingPreset PresetName = "AgenticCoding"
	// BatchPreset is a job over many records.
	BatchPreset PresetName = "Batch"
	// ReasoningPreset is answers behind long chains of reasoning.
	ReasoningPreset PresetName = "Reasoning"
	// BurstyPreset is requests in bursts.
	BurstyPreset PresetName = "Bursty"
	// OversizedPromptsPreset is prompts near the limit of the context.
	OversizedPromptsPreset PresetName = "OversizedPrompts"
	// RapidFirePreset is many tiny requests.
	RapidFirePreset PresetName = "RapidFire"
	// KVExhaustionPreset is the longest answers that one can ask for.
	KVExhaustionPreset PresetName = "KVExhaustion"
	// SynchronizedBurstsPreset is clients that send at the same instants.
	SynchronizedBurstsPreset PresetName = "SynchronizedBursts"
	// CacheBustingPreset is prompts that no cache finds.
	CacheBustingPreset PresetName = "CacheBusting"
	// HotPrefixPreset is one long prefix in all prompts.
	HotPrefixPreset PresetName = "HotPrefix"
)

// Preset gives a client the fields of a kind of traffic.
type Preset struct {
	// name is the kind of traffic: Chatbot, CodeCompletion, Summarization, RAG,
	// AgenticCoding, Batch and Reasoning are what people do; Bursty, OversizedPrompts,
	// RapidFire, KVExhaustion, SynchronizedBursts, CacheBusting and HotPrefix are what
	// harms others.
	// +required
	Name PresetName `json:"name,omitempty"`
	// rate is the mean number of arrivals a second: of conversations where the preset has
	// sessions, else of requests. Without it, the client has arrivals or a closedLoop of
	// its own.
	// +optional
	Rate PositiveDecimal `json:"rate,omitempty"`
}
