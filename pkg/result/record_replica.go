// SPDX-License-Identifier: Apache-2.0

package result

// BatchRecord is a step of an engine as it begins.
type BatchRecord struct {
	ReplicaOrigin
	DurationSeconds float64 `parquet:"duration_seconds" json:"durationSeconds"`
	Replica         string  `parquet:"replica,dict" json:"replica"`
	// Running are the requests of the batch, Waiting those of the wait queue and those whose KV is on
	// its way.
	Running int64 `parquet:"running" json:"running"`
	Waiting int64 `parquet:"waiting" json:"waiting"`
	// PrefillTokens and DecodeTokens are what the step computes, and KVUsage is with its blocks.
	PrefillTokens int64   `parquet:"prefill_tokens" json:"prefillTokens"`
	DecodeTokens  int64   `parquet:"decode_tokens" json:"decodeTokens"`
	KVUsage       float64 `parquet:"kv_usage" json:"kvUsage"`
}

// ScalingRecord is what a scaler decided about one pool.
type ScalingRecord struct {
	ReplicaOrigin
	Scaler string `parquet:"scaler,dict" json:"scaler"`
	Pool   string `parquet:"pool,dict" json:"pool"`
	// Action is up, down or none, from PreviousCount wanted replicas to NewCount. Stated is what the
	// policy said, before the bounds.
	Action        string `parquet:"action,dict" json:"action"`
	PreviousCount int64  `parquet:"previous_count" json:"previousCount"`
	NewCount      int64  `parquet:"new_count" json:"newCount"`
	Stated        int64  `parquet:"stated" json:"stated"`
	// Pending are the replicas that start then, Ready those that serve.
	Pending int64  `parquet:"pending" json:"pending"`
	Ready   int64  `parquet:"ready" json:"ready"`
	Reason  string `parquet:"reason,dict" json:"reason"`
	// Triggered says that the trigger had the scaler asked, and not its interval.
	Triggered bool `parquet:"triggered" json:"triggered,omitempty"`
	// Metrics are the values that the decision rests on.
	Metrics []NamedValue `parquet:"metrics,list" json:"metrics,omitempty"`
}

// NamedValue is a value with its name.
type NamedValue struct {
	Name  string  `parquet:"name,dict" json:"name"`
	Value float64 `parquet:"value" json:"value"`
}

// ReplicaRecord is a replica that comes into another stage.
type ReplicaRecord struct {
	ReplicaOrigin
	Pool    string `parquet:"pool,dict" json:"pool"`
	Replica string `parquet:"replica,dict" json:"replica"`
	Stage   string `parquet:"stage,dict" json:"stage"`
	// Pending and Ready are the replicas of the pool that start then, and that serve.
	Pending int64 `parquet:"pending" json:"pending"`
	Ready   int64 `parquet:"ready" json:"ready"`
}

// Kind implements [Record].
func (*BatchRecord) Kind() RecordKind { return BatchKind }

// Kind implements [Record].
func (*ScalingRecord) Kind() RecordKind { return ScalingKind }

// Kind implements [Record].
func (*ReplicaRecord) Kind() RecordKind { return ReplicaKind }
