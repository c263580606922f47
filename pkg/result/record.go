// SPDX-License-Identifier: Apache-2.0

package result

import "windtunnel.dev/windtunnel/internal/jsonline"

// RecordKind is what a record of a trace is about.
type RecordKind string

// The kinds of records. Routing records are decisions.
const (
	AdmissionKind  RecordKind = "admission"
	PriorityKind   RecordKind = "priority"
	RoutingKind    RecordKind = "routing"
	BatchKind      RecordKind = "batch"
	PreemptionKind RecordKind = "preemption"
	HandOverKind   RecordKind = "handover"
	TransferKind   RecordKind = "transfer"
	ScalingKind    RecordKind = "scaling"
	ReplicaKind    RecordKind = "replica"
)

// RecordKinds are those of all records but decisions.
var RecordKinds = []RecordKind{
	PriorityKind, AdmissionKind, BatchKind, PreemptionKind, HandOverKind, TransferKind, ScalingKind, ReplicaKind,
}

// A Record is one record of a trace, but no decision of a router: an [AdmissionRecord],
// [PriorityRecord], [BatchRecord], [PreemptionRecord], [HandOverRecord], [TransferRecord],
// [ScalingRecord] or [ReplicaRecord], by its address.
type Record interface {
	Kind() RecordKind
	// Of says which simulation the record is of, and when it was made.
	Of() *RecordOrigin
	// About is the request that the record is about; ok is false without a request.
	About() (request int64, ok bool)
}

// RecordOrigin is what every record begins with.
type RecordOrigin struct {
	Object    string  `parquet:"object,dict" json:"-"`
	Seed      int64   `parquet:"seed" json:"seed"`
	AtSeconds float64 `parquet:"at_seconds" json:"atSeconds"`
}

// Of implements [Record].
func (o *RecordOrigin) Of() *RecordOrigin { return o }

// RequestOrigin is what records of requests begin with.
type RequestOrigin struct {
	RecordOrigin
	Request int64 `parquet:"request" json:"request"`
}

// About implements [Record].
func (o *RequestOrigin) About() (request int64, ok bool) { return o.Request, true }

// ReplicaOrigin is what records of no request begin with.
type ReplicaOrigin struct{ RecordOrigin }

// About implements [Record].
func (*ReplicaOrigin) About() (request int64, ok bool) { return 0, false }

// recordFields are the fields of the records of each kind.
var recordFields = map[RecordKind]*jsonline.Object{
	PriorityKind:   jsonline.NewObject[PriorityRecord](),
	AdmissionKind:  jsonline.NewObject[AdmissionRecord](),
	BatchKind:      jsonline.NewObject[BatchRecord](),
	PreemptionKind: jsonline.NewObject[PreemptionRecord](),
	HandOverKind:   jsonline.NewObject[HandOverRecord](),
	TransferKind:   jsonline.NewObject[TransferRecord](),
	ScalingKind:    jsonline.NewObject[ScalingRecord](),
	ReplicaKind:    jsonline.NewObject[ReplicaRecord](),
}

// AppendRecord appends a record as a line of JSON.
func AppendRecord(b []byte, r Record) []byte {
	kind := r.Kind()
	b = jsonline.Text(append(b, `{"record":`...), string(kind))
	return append(recordFields[kind].Append(b, r), '}', '\n')
}
