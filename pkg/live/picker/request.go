// SPDX-License-Identifier: Apache-2.0

package picker

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"

	corev3 "github.com/envoyproxy/go-control-plane/envoy/config/core/v3"
	extproc "github.com/envoyproxy/go-control-plane/envoy/service/ext_proc/v3"
	"google.golang.org/protobuf/types/known/structpb"
)

// ask sends the request, and takes the answer to it.
func (e *Exchange) ask(r *Request) error {
	if err := e.sendRequest(r); err != nil {
		return err
	}
	for {
		answer, err := e.receive()
		if err != nil {
			return err
		}
		switch of := answer.Response.(type) {
		case *extproc.ProcessingResponse_RequestHeaders:
			err = e.choose(r, of.RequestHeaders.GetResponse().GetHeaderMutation(), answer.DynamicMetadata)
		case *extproc.ProcessingResponse_RequestBody:
			body := of.RequestBody.GetResponse().GetBodyMutation().GetStreamedResponse()
			e.Body = append(e.Body, body.GetBody()...)
			if body.GetEndOfStream() {
				return e.check()
			}
		default:
			err = fmt.Errorf("the EPP answers a request by a message %T", of)
		}
		if err != nil {
			return err
		}
	}
}

func (e *Exchange) sendRequest(r *Request) error {
	headers := []*corev3.HeaderValue{rawHeader(":method", http.MethodPost), rawHeader(":path", r.Path), rawHeader(":scheme", "http")}
	err := e.stream.Send(&extproc.ProcessingRequest{Request: &extproc.ProcessingRequest_RequestHeaders{
		RequestHeaders: &extproc.HttpHeaders{Headers: &corev3.HeaderMap{Headers: append(headers, rawHeaders(r.Header)...)}},
	}})
	for rest := r.Body; err == nil; {
		n := min(len(rest), chunkBytes)
		err = e.stream.Send(&extproc.ProcessingRequest{Request: &extproc.ProcessingRequest_RequestBody{
			RequestBody: &extproc.HttpBody{Body: rest[:n], EndOfStream: n == len(rest)},
		}})
		if rest = rest[n:]; len(rest) == 0 {
			break
		}
	}
	if err != nil && !errors.Is(err, io.EOF) { // after which its answer says why
		return fmt.Errorf("ask the EPP: %w", err)
	}
	return nil
}

// choose takes the endpoint and the headers of the request from the EPP's answer to its headers.
func (e *Exchange) choose(r *Request, mutation *extproc.HeaderMutation, metadata *structpb.Struct) error {
	e.Header = mutated(r.Header, mutation)
	named := e.Header.Get(DestinationHeader)
	said := metadata.GetFields()[destinationNamespace].GetStructValue().GetFields()
	also := said[DestinationHeader].GetStringValue()
	if named != "" && also != "" && named != also {
		return fmt.Errorf("the EPP chooses %s by a header and %s by metadata", named, also)
	}
	if all := cmp.Or(named, also); all != "" {
		e.Endpoints = strings.Split(all, ",")
	}
	if scores := said[scoresKey].GetStructValue().GetFields(); len(scores) > 0 {
		e.Scores = map[string]float64{}
		for address, score := range scores {
			e.Scores[address] = score.GetNumberValue()
		}
	}
	return nil
}

// check says what an answer lacks that has ended.
func (e *Exchange) check() error {
	if len(e.Endpoints) == 0 {
		return errors.New("the EPP names no endpoint")
	}
	return nil
}

// mutated are headers as the EPP leaves them.
func mutated(header http.Header, mutation *extproc.HeaderMutation) http.Header {
	out := header.Clone()
	if out == nil {
		out = http.Header{}
	}
	for _, name := range mutation.GetRemoveHeaders() {
		out.Del(name)
	}
	for _, set := range mutation.GetSetHeaders() {
		if name := set.GetHeader().GetKey(); !strings.HasPrefix(name, ":") {
			out.Set(name, valueOf(set.GetHeader()))
		}
	}
	return out
}

// valueOf is the value of a header, which is in either field.
func valueOf(h *corev3.HeaderValue) string { return cmp.Or(string(h.GetRawValue()), h.GetValue()) }

func rawHeader(name, value string) *corev3.HeaderValue {
	return &corev3.HeaderValue{Key: name, RawValue: []byte(value)}
}

// rawHeaders are headers in the order of their names, in lower case as HTTP/2 has them.
func rawHeaders(header http.Header) []*corev3.HeaderValue {
	var all []*corev3.HeaderValue
	for _, name := range slices.Sorted(maps.Keys(header)) {
		for _, value := range header[name] {
			all = append(all, rawHeader(strings.ToLower(name), value))
		}
	}
	return all
}
