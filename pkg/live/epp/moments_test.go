// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// TestMomentsOfSpans sends spans as an EPP does, in two parts: those of a request that was chosen for, of one whose end did
// not come, and of one without an ID.
func TestMomentsOfSpans(t *testing.T) {
	moments, address, stop, err := ListenForMoments(local(0))
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	connection, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	span := func(of byte, name, request string, start, end uint64) *trace.Span {
		s := &trace.Span{TraceId: []byte{of}, Name: name, StartTimeUnixNano: start, EndTimeUnixNano: end}
		if request != "" {
			s.Attributes = []*common.KeyValue{{Key: requestID, Value: &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: request}}}}
		}
		return s
	}
	for _, spans := range [][]*trace.Span{
		{span(1, "llm_d.epp.scoring", "a", 30, 40), span(1, "filter_endpoints", "a", 20, 25), span(2, "llm_d.epp.scoring", "b", 60, 61)},
		{span(1, "gateway.request", "", 10, 90), span(3, "gateway.request", "", 11, 91)},
	} {
		_, err := collector.NewTraceServiceClient(connection).Export(t.Context(), &collector.ExportTraceServiceRequest{
			ResourceSpans: []*trace.ResourceSpans{{ScopeSpans: []*trace.ScopeSpans{{Spans: spans}}}},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	want := map[string]Moment{"a": {time.Unix(0, 20), time.Unix(0, 90)}, "b": {Chosen: time.Unix(0, 60)}}
	if diff := cmp.Diff(want, moments.ByRequest()); diff != "" {
		t.Errorf("moments (−want +got):\n%s", diff)
	}
}
