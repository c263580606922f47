// SPDX-License-Identifier: Apache-2.0

package result

// PriorityRecord is the priority that a policy gave a request.
type PriorityRecord struct {
	RequestOrigin
	Tenant string `parquet:"tenant,dict" json:"tenant"`
	Class  string `parquet:"class,dict" json:"class"`
	Policy string `parquet:"policy,dict" json:"policy"`
	// Stated is what the client stated, Priority what counts in its place.
	Stated   int64 `parquet:"stated" json:"stated"`
	Priority int64 `parquet:"priority" json:"priority"`
}

// AdmissionRecord is an answer of an admission policy about a request, with what it saw. What it
// does not look at is null.
type AdmissionRecord struct {
	RequestOrigin
	Tenant       string `parquet:"tenant,dict" json:"tenant"`
	Class        string `parquet:"class,dict" json:"class"`
	Priority     int64  `parquet:"priority" json:"priority"`
	PromptTokens int64  `parquet:"prompt_tokens" json:"promptTokens"`
	Policy       string `parquet:"policy,dict" json:"policy"`
	// Verdict is admitted, rejected or delayed.
	Verdict string `parquet:"verdict,dict" json:"verdict"`
	// Reason is why a request is rejected, UntilSeconds when the policy is asked again about one that
	// is delayed.
	Reason       string   `parquet:"reason,dict" json:"reason,omitempty"`
	UntilSeconds *float64 `parquet:"until_seconds" json:"untilSeconds,omitempty"`
	Saturation   *float64 `parquet:"saturation" json:"saturation,omitempty"`
	// Arrived and the next fields are counts of the tenant, the request included.
	Arrived        *int64   `parquet:"arrived" json:"arrived,omitempty"`
	Admitted       *int64   `parquet:"admitted" json:"admitted,omitempty"`
	Rejected       *int64   `parquet:"rejected" json:"rejected,omitempty"`
	Delayed        *int64   `parquet:"delayed" json:"delayed,omitempty"`
	InFlight       *int64   `parquet:"in_flight" json:"inFlight,omitempty"`
	InFlightTokens *int64   `parquet:"in_flight_tokens" json:"inFlightTokens,omitempty"`
	ArrivalRate    *float64 `parquet:"arrival_rate" json:"arrivalRate,omitempty"`
}

// PreemptionRecord is a request that a replica took out of its batch, with the state of the replica
// before.
type PreemptionRecord struct {
	RequestOrigin
	Replica string  `parquet:"replica,dict" json:"replica"`
	Running int64   `parquet:"running" json:"running"`
	Waiting int64   `parquet:"waiting" json:"waiting"`
	KVUsage float64 `parquet:"kv_usage" json:"kvUsage"`
	// ComputedTokens are to be computed again.
	ComputedTokens int64 `parquet:"computed_tokens" json:"computedTokens"`
}

// HandOverRecord is the hand-over of a prompt's KV from the replica that computed it to the one that
// decodes. It is made at the end of the hand-over. Times that did not come are null.
type HandOverRecord struct {
	RequestOrigin
	Prefill string `parquet:"prefill,dict" json:"prefill"`
	Decode  string `parquet:"decode,dict" json:"decode"`
	// StartSeconds is when the request was sent to the replicas, PrefilledSeconds when its prompt was
	// computed, and ReadySeconds when it might decode.
	StartSeconds     float64  `parquet:"start_seconds" json:"startSeconds"`
	PrefilledSeconds *float64 `parquet:"prefilled_seconds" json:"prefilledSeconds,omitempty"`
	ReadySeconds     *float64 `parquet:"ready_seconds" json:"readySeconds,omitempty"`
	// Tokens and Bytes are what came from the other replica.
	Tokens    int64 `parquet:"tokens" json:"tokens"`
	Bytes     int64 `parquet:"bytes" json:"bytes"`
	Cancelled bool  `parquet:"cancelled" json:"cancelled,omitempty"`
}

// TransferRecord is a transfer of KV blocks. It is made at the end of the transfer.
type TransferRecord struct {
	RecordOrigin
	// Request is null where the blocks belong to no request any more.
	Request *int64 `parquet:"request" json:"request,omitempty"`
	// Reason is offload, reload or pd_handoff.
	Reason   string `parquet:"reason,dict" json:"reason"`
	From     string `parquet:"from,dict" json:"from"`
	To       string `parquet:"to,dict" json:"to"`
	FromTier string `parquet:"from_tier,dict" json:"fromTier"`
	ToTier   string `parquet:"to_tier,dict" json:"toTier"`
	Bytes    int64  `parquet:"bytes" json:"bytes"`
	// StartSeconds is when it was asked for; TransferLatencySeconds is the time until its end.
	StartSeconds           float64 `parquet:"start_seconds" json:"startSeconds"`
	TransferLatencySeconds float64 `parquet:"transfer_latency_seconds" json:"transferLatencySeconds"`
	Cancelled              bool    `parquet:"cancelled" json:"cancelled,omitempty"`
}

// About implements [Record].
func (r *TransferRecord) About() (request int64, ok bool) {
	if r.Request == nil {
		return 0, false
	}
	return *r.Request, true
}

// Kind implements [Record].
func (*PriorityRecord) Kind() RecordKind { return PriorityKind }

// Kind implements [Record].
func (*AdmissionRecord) Kind() RecordKind { return AdmissionKind }

// Kind implements [Record].
func (*PreemptionRecord) Kind() RecordKind { return PreemptionKind }

// Kind implements [Record].
func (*HandOverRecord) Kind() RecordKind { return HandOverKind }

// Kind implements [Record].
func (*TransferRecord) Kind() RecordKind { return TransferKind }
