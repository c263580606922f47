// SPDX-License-Identifier: Apache-2.0

package picker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"

	corev3 "github.com/envoyproxy/go-control-plane/envoy/config/core/v3"
	extproc "github.com/envoyproxy/go-control-plane/envoy/service/ext_proc/v3"
)

// An Exchange is one request that the EPP has found an endpoint for, until its answer has ended.
// One goroutine uses it at a time. It has to be closed.
type Exchange struct {
	// Endpoints are the chosen ones, as address:port: the first one is to be used, the others
	// are in reserve. Header and Body are those of the request as the EPP leaves them.
	Endpoints []string
	Header    http.Header
	Body      []byte
	// Scores are what the EPP gave each endpoint, by address; nil unless it was started with
	// --emit-endpoint-scores.
	Scores map[string]float64

	// ctx ends with the exchange, or when the EPP ends the request.
	ctx    context.Context
	cancel context.CancelCauseFunc
	stream extproc.ExternalProcessor_ProcessClient
	// answered has what the EPP changes in the headers of the answer. over is closed when the EPP
	// has ended the stream.
	answered chan *extproc.HeaderMutation
	over     chan struct{}
}

// Rejection is how the EPP refuses a request, or ends one that has an endpoint.
type Rejection struct {
	// Code is the HTTP status, Text the body, and Reason the header DroppedReasonHeader; each
	// may be empty.
	Code   int
	Text   string
	Reason string
}

// Error implements error.
func (r *Rejection) Error() string {
	return fmt.Sprintf("the EPP rejects the request: %d %s %s", r.Code, r.Reason, r.Text)
}

// Context ends when the EPP ends the request before its answer has ended; then its cause is a
// [*Rejection]. The request to the endpoint should be made with it.
func (e *Exchange) Context() context.Context { return e.ctx }

// ResponseHeader tells the EPP of the headers of the answer, and returns them as it leaves them.
func (e *Exchange) ResponseHeader(status int, header http.Header) (http.Header, error) {
	err := e.tell(&extproc.ProcessingRequest{Request: &extproc.ProcessingRequest_ResponseHeaders{ResponseHeaders: &extproc.HttpHeaders{
		Headers: &corev3.HeaderMap{Headers: append([]*corev3.HeaderValue{rawHeader(":status", strconv.Itoa(status))}, rawHeaders(header)...)},
	}}})
	if err != nil {
		return nil, err
	}
	select {
	case mutation := <-e.answered:
		return mutated(header, mutation), nil
	case <-e.over: // an EPP may leave after it has chosen, or after this answer
	}
	select {
	case mutation := <-e.answered:
		return mutated(header, mutation), nil
	default:
		return header, context.Cause(e.ctx)
	}
}

// ResponseBody tells the EPP of a part of the answer's body. The EPP finds the usage of a stream
// of events only in a part that has the whole event.
func (e *Exchange) ResponseBody(part []byte) error { return e.tellBody(part, false) }

// End tells the EPP that the answer has ended, and waits until it has taken note.
func (e *Exchange) End() error {
	if err := e.tellBody(nil, true); err != nil {
		return err
	}
	if err := e.stream.CloseSend(); err != nil {
		return fmt.Errorf("tell the EPP of the end: %w", err)
	}
	<-e.over
	return context.Cause(e.ctx)
}

// Close gives the exchange up, if it has not ended.
func (e *Exchange) Close() {
	e.cancel(context.Canceled)
	<-e.over
}

func (e *Exchange) tellBody(part []byte, last bool) error {
	return e.tell(&extproc.ProcessingRequest{Request: &extproc.ProcessingRequest_ResponseBody{
		ResponseBody: &extproc.HttpBody{Body: part, EndOfStream: last},
	}})
}

// tell sends a message about the answer. Where the EPP has ended the stream, it returns why: nil
// is because it wants to hear no more.
func (e *Exchange) tell(m *extproc.ProcessingRequest) error {
	err := e.stream.Send(m)
	if errors.Is(err, io.EOF) {
		<-e.over
		return context.Cause(e.ctx)
	}
	if err != nil {
		return fmt.Errorf("tell the EPP: %w", err)
	}
	return nil
}

// listen takes what the EPP says of the answer, until it ends the stream.
func (e *Exchange) listen() {
	defer close(e.over)
	for {
		answer, err := e.receive()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			e.cancel(err)
			return
		}
		if of := answer.GetResponseHeaders(); of != nil {
			select {
			case e.answered <- of.GetResponse().GetHeaderMutation():
			case <-e.ctx.Done():
			}
		}
	}
}

// receive returns the next message. A message that ends the request is an error.
func (e *Exchange) receive() (*extproc.ProcessingResponse, error) {
	answer, err := e.stream.Recv()
	if err != nil {
		return nil, fmt.Errorf("hear the EPP: %w", err)
	}
	if end := answer.GetImmediateResponse(); end != nil {
		return nil, rejectionOf(end)
	}
	return answer, nil
}

func rejectionOf(end *extproc.ImmediateResponse) *Rejection {
	return &Rejection{
		Code: int(end.GetStatus().GetCode()), Text: string(end.GetBody()),
		Reason: mutated(nil, end.GetHeaders()).Get(DroppedReasonHeader),
	}
}
