// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// Client is one source of requests.
//
// +kubebuilder:validation:XValidation:rule="(has(self.arrivals) ? 1 : 0) + (has(self.closedLoop) ? 1 : 0) + (has(self.preset) && has(self.preset.rate) ? 1 : 0) == 1",message="exactly one of arrivals, closedLoop and preset.rate must be set"
// +kubebuilder:validation:XValidation:rule="has(self.preset) || has(self.inputTokens) && has(self.outputTokens)",message="inputTokens and outputTokens must be set, except with a preset"
// +kubebuilder:validation:XValidation:rule="!has(self.sessions) || (has(self.closedLoop) ? !has(self.sessions.concurrent) : has(self.sessions.concurrent) != has(self.sessions.thinkTime))",message="sessions take concurrent, or thinkTime if their turns wait for answers; in a closed loop turns always wait, and each user has one session at a time",fieldPath=".sessions"
// +kubebuilder:validation:XValidation:rule="!has(self.closedLoop) || !has(self.copies) || (!has(self.copies.arrivals) || self.copies.arrivals == 'Own') && self.copies.zipfExponent == '0'",message="copies with a closedLoop have the same number of users each: they take no arrivals and no zipfExponent",fieldPath=".copies"
// +kubebuilder:validation:XValidation:rule="!has(self.prompts) || !has(self.sessions)",message="prompts excludes sessions: a conversation does not repeat itself",fieldPath=".prompts"
type Client struct {
	// name identifies the client.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9]([-_.A-Za-z0-9]*[A-Za-z0-9])?$`
	Name string `json:"name,omitempty"`
	// preset gives the client the fields of a kind of traffic. Fields that the client has
	// itself replace those of the preset, each as a whole.
	// +optional
	Preset *Preset `json:"preset,omitempty"`
	// arrivals say when requests come in an open loop, where no request waits for
	// another.
	// +optional
	Arrivals Arrivals `json:"arrivals,omitzero"`
	// closedLoop makes the client a fixed number of users who wait for the ends of
	// their requests.
	// +optional
	ClosedLoop *ClosedLoop `json:"closedLoop,omitempty"`
	// inputTokens is the length of a prompt without the shared prefix. It is required
	// without a preset.
	// +optional
	InputTokens Lengths `json:"inputTokens,omitzero"`
	// outputTokens is the length of an answer. It is required without a preset.
	// +optional
	OutputTokens Lengths `json:"outputTokens,omitzero"`
	// prefix is a shared beginning of each prompt. All clients that name the same
	// group share it.
	// +optional
	Prefix *Prefix `json:"prefix,omitempty"`
	// prompts make the client repeat a fixed set of prompts. Without them, every
	// prompt is different behind the prefix.
	// +optional
	Prompts *Prompts `json:"prompts,omitempty"`
	// sessions make the client's requests turns of conversations. Without them,
	// requests belong to no conversation.
	// +optional
	Sessions *Sessions `json:"sessions,omitempty"`
	// reasoning makes answers begin with reasoning. Without it, outputTokens is all that
	// is generated.
	// +optional
	Reasoning *Reasoning `json:"reasoning,omitempty"`
	// media are the images, audio and videos that prompts contain in addition to
	// inputTokens.
	// +optional
	// +listType=map
	// +listMapKey=kind
	// +kubebuilder:validation:MaxItems=3
	Media []Media `json:"media,omitempty"`
	// tenant groups clients in results. Fields of the tenant of this name in tenants take the
	// place of those of the client.
	// +optional
	// +kubebuilder:default=default
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9]([-_.A-Za-z0-9]*[A-Za-z0-9])?$`
	Tenant string `json:"tenant,omitempty"`
	// class is the SLO class of the client's requests.
	// +optional
	// +kubebuilder:default=default
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9]([-_.A-Za-z0-9]*[A-Za-z0-9])?$`
	Class string `json:"class,omitempty"`
	// priority is the priority of the client's requests: a higher number is more
	// important. Pools with engine.scheduler Priority serve requests in this order.
	// While the EPP is saturated, it sheds requests with a priority below 0. With flow
	// control, requests wait in the band of their priority, and the EPP sheds none.
	// +optional
	// +kubebuilder:default=0
	// +kubebuilder:validation:Minimum=-1000000
	// +kubebuilder:validation:Maximum=1000000
	Priority int32 `json:"priority,omitempty"`
	// model is the base model of the client's requests. It is required with several
	// routers. Without it, the client asks for the model of all pools.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	Model string `json:"model,omitempty"`
	// adapter is the LoRA adapter of the client's requests. If it is set, every pool
	// of the client's model needs adapters. Without it, requests use the base model.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9]([-_.A-Za-z0-9]*[A-Za-z0-9])?$`
	Adapter string `json:"adapter,omitempty"`
	// headers are the HTTP headers of the client's requests by name, for plugins of
	// the router that read headers.
	// +optional
	// +kubebuilder:validation:MaxProperties=16
	Headers map[string]HeaderValue `json:"headers,omitempty"`
	// timeout is how long the client waits for an answer before it gives the request up.
	// Without it, the client waits for every answer.
	// +optional
	Timeout *Timeout `json:"timeout,omitempty"`
	// retry makes the client send requests again that were not answered.
	// +optional
	Retry *Retry `json:"retry,omitempty"`
	// copies make the client represent many similar clients.
	// +optional
	Copies *Copies `json:"copies,omitempty"`
}

// HeaderValue is the value of a header: ASCII characters and blanks between them,
// the first of which is a letter or a digit.
//
// +kubebuilder:validation:MinLength=1
// +kubebuilder:validation:MaxLength=1024
// +kubebuilder:validation:Pattern=`^[A-Za-z0-9]([ -~]*[!-~])?$`
type HeaderValue string

// Order is the order in which a client takes its prompts or conversations.
// +kubebuilder:validation:Enum=Cycle;Random
type Order string

const (
	// CycleOrder takes them in turn.
	CycleOrder Order = "Cycle"
	// RandomOrder takes a random one each time.
	RandomOrder Order = "Random"
)

// Prompts are a fixed set of prompts. Each prompt consists of the client's prefix
// and a part whose length is drawn once from inputTokens. The length of an answer is
// drawn each time.
type Prompts struct {
	// count is the number of different prompts of the client, or of each copy.
	// All copies together have at most 1000000.
	// +required
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000
	Count int32 `json:"count,omitempty"`
	// order is the order in which the client sends the prompts.
	// +optional
	// +kubebuilder:default=Cycle
	Order Order `json:"order,omitempty"`
}
