// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// AnomalyThresholds say from when on something that went wrong is an anomaly.
type AnomalyThresholds struct {
	// minRequests is how many requests make an anomaly at least.
	// +optional
	// +kubebuilder:default=20
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000
	MinRequests int32 `json:"minRequests,omitempty"`
	// minShare is the share of the requests that a rule looks at from which on they are an
	// anomaly.
	// +optional
	// +kubebuilder:default="0.1"
	// +kubebuilder:validation:XValidation:rule="self.matches('^(0+[.][0-9]*[1-9][0-9]*|0*1([.]0+)?)$')",message="must be greater than 0 and at most 1, such as \"0.9\""
	MinShare PositiveDecimal `json:"minShare,omitempty"`
	// ttft is how long a request may wait for its first token where its class has no target.
	// +optional
	// +kubebuilder:default="2s"
	TTFT PositiveDuration `json:"ttft,omitempty"`
	// inversionMargin is how long a request that one of lower priority overtook must wait for
	// its first token (priority_inversion). Without it, each counts.
	// +optional
	InversionMargin PositiveDuration `json:"inversionMargin,omitempty"`
	// cacheTokens is how many tokens of a prompt matter to the rules on caches
	// (prefix_blind, cache_thrashing, shadow_divergence).
	// +optional
	// +kubebuilder:default=256
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000
	CacheTokens int32 `json:"cacheTokens,omitempty"`
	// cacheMemory is how long a prefix counts as one that a replica holds (prefix_blind,
	// cache_thrashing).
	// +optional
	// +kubebuilder:default="60s"
	CacheMemory PositiveDuration `json:"cacheMemory,omitempty"`
	// divergence is by which share of the tokens believed or found, whichever are more,
	// they must differ (shadow_divergence).
	// +optional
	// +kubebuilder:default="0.5"
	// +kubebuilder:validation:XValidation:rule="self.matches('^(0+[.][0-9]*[1-9][0-9]*|0*1([.]0+)?)$')",message="must be greater than 0 and at most 1, such as \"0.9\""
	Divergence PositiveDecimal `json:"divergence,omitempty"`
	// waiting is how many waiting requests make an endpoint loaded (prefix_blind,
	// hot_replica, pd_backpressure).
	// +optional
	// +kubebuilder:default=4
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000
	Waiting int32 `json:"waiting,omitempty"`
	// hotShare is how many times its equal share of the requests a replica must get
	// (hot_replica).
	// +optional
	// +kubebuilder:default="1.8"
	HotShare PositiveDecimal `json:"hotShare,omitempty"`
	// reversals of a scaler, each within reversalWindow of the change before, make an
	// oscillation (scale_oscillation).
	// +optional
	// +kubebuilder:default=3
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000
	Reversals int32 `json:"reversals,omitempty"`
	// reversalWindow is the time that reversals count in.
	// +optional
	// +kubebuilder:default="5m"
	ReversalWindow PositiveDuration `json:"reversalWindow,omitempty"`
	// burst is how many times its median rate a tenant must send (tenant_burst).
	// +optional
	// +kubebuilder:default="3"
	Burst PositiveDecimal `json:"burst,omitempty"`
	// rise is how many times as long the other tenants must wait meanwhile (tenant_burst).
	// +optional
	// +kubebuilder:default="2"
	Rise PositiveDecimal `json:"rise,omitempty"`
	// longPrompt is how many times as many tokens to compute the prompt at the head of the
	// line must have (head_of_line_blocking, and the metric headOfLineBlocking).
	// +optional
	// +kubebuilder:default=8
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000
	LongPrompt int32 `json:"longPrompt,omitempty"`
	// tail is the ratio of the 99th to the 50th percentile of the TTFT (tail_blow_up).
	// +optional
	// +kubebuilder:default="10"
	Tail PositiveDecimal `json:"tail,omitempty"`
	// storm is how many preemptions within 10 s are a storm (preemption_storm).
	// +optional
	// +kubebuilder:default=20
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000
	Storm int32 `json:"storm,omitempty"`
}
