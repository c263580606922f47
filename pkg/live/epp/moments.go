// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"context"
	"fmt"
	"net"
	"sync"
	"time"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/grpc"
)

// Names in spans (llm-d-router ebab687, pkg/epp/handlers/server.go and pkg/epp/scheduling/scheduler_profile.go):
// the span of a whole request, and the attribute of those that choose.
const (
	wholeSpan = "gateway.request"
	requestID = "gen_ai.request.id"
)

// A Moment is when an EPP chose an endpoint for a request, and when it had counted the end of the answer; either is zero
// where the EPP does not tell.
type Moment struct{ Chosen, Ended time.Time }

// Moments are those of all requests, as the spans of an EPP tell. It is safe for concurrent use.
type Moments struct {
	collector.UnimplementedTraceServiceServer
	mu sync.Mutex
	// of are the requests by the ID of their trace.
	of map[string]*traced
}

// traced is a request with its ID.
type traced struct {
	Moment
	request string
}

// ListenForMoments takes the spans that come to a local address until stop is called. It returns the address with
// its port, which an EPP sends them to.
func ListenForMoments(at string) (m *Moments, address string, stop func(), err error) {
	open, err := net.Listen("tcp", at)
	if err != nil {
		return nil, "", nil, fmt.Errorf("listen for the EPP's spans: %w", err)
	}
	m = &Moments{of: map[string]*traced{}}
	server := grpc.NewServer()
	collector.RegisterTraceServiceServer(server, m)
	go func() { _ = server.Serve(open) }()
	return m, open.Addr().String(), server.Stop, nil
}

// Export implements [collector.TraceServiceServer].
func (m *Moments) Export(_ context.Context, r *collector.ExportTraceServiceRequest) (*collector.ExportTraceServiceResponse, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, resource := range r.GetResourceSpans() {
		for _, scope := range resource.GetScopeSpans() {
			for _, span := range scope.GetSpans() {
				m.take(span)
			}
		}
	}
	return &collector.ExportTraceServiceResponse{}, nil
}

// take takes a span. The choice is the start of the first one that names the request: what the EPP knows of its
// endpoints is read just before.
func (m *Moments) take(span *trace.Span) {
	of := m.of[string(span.TraceId)]
	if of == nil {
		of = &traced{}
		m.of[string(span.TraceId)] = of
	}
	if span.Name == wholeSpan {
		of.Ended = time.Unix(0, int64(span.EndTimeUnixNano))
	}
	for _, a := range span.Attributes {
		if a.Key != requestID {
			continue
		}
		of.request = a.GetValue().GetStringValue()
		if start := time.Unix(0, int64(span.StartTimeUnixNano)); of.Chosen.IsZero() || start.Before(of.Chosen) {
			of.Chosen = start
		}
	}
}

// ByRequest are the moments by the ID of the request. An EPP sends the last ones a second later, or when it ends.
func (m *Moments) ByRequest() map[string]Moment {
	m.mu.Lock()
	defer m.mu.Unlock()
	by := make(map[string]Moment, len(m.of))
	for _, of := range m.of { // in any order: a request has one trace
		if of.request != "" {
			by[of.request] = of.Moment
		}
	}
	return by
}
