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
	// AppendLine appends the record as a line of JSON.
	AppendLine(b []byte) []byte
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

// appendRecord appends a record, given by its address, as a line.
func appendRecord(b []byte, kind RecordKind, fields *jsonline.Object, r any) []byte {
	b = jsonline.Text(append(b, `{"record":`...), string(kind))
	return append(fields.Append(b, r), '}', '\n')
}
