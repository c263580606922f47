// SPDX-License-Identifier: Apache-2.0

package picker

import (
	"net/http"
	"testing"

	corev3 "github.com/envoyproxy/go-control-plane/envoy/config/core/v3"
	extproc "github.com/envoyproxy/go-control-plane/envoy/service/ext_proc/v3"
)

// deaf is a stream whose messages arrive, and are not answered.
type deaf struct {
	extproc.ExternalProcessor_ProcessClient
}

func (deaf) Send(*extproc.ProcessingRequest) error { return nil }

// TestHeadersCountOfAnEPPThatLeaves asks often, since Go takes either of two channels that are ready.
func TestHeadersCountOfAnEPPThatLeaves(t *testing.T) {
	left := make(chan struct{})
	close(left)
	for range 100 {
		e := &Exchange{ctx: t.Context(), stream: deaf{}, over: left, answered: make(chan *extproc.HeaderMutation, 1)}
		e.answered <- &extproc.HeaderMutation{SetHeaders: []*corev3.HeaderValueOption{{Header: rawHeader("x-session-token", "t")}}}
		header, err := e.ResponseHeader(http.StatusOK, http.Header{})
		if err != nil || header.Get("X-Session-Token") != "t" {
			t.Fatalf("the headers are %v, the error is %v", header, err)
		}
	}
}
