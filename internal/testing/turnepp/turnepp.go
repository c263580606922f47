// SPDX-License-Identifier: Apache-2.0

// Package turnepp is an EPP for tests, which takes the endpoints of a file in turn. It speaks the gRPC that
// Envoy and an Endpoint Picker of llm-d speak, and knows no other plugin than the file.
package turnepp

import (
	"context"
	"errors"
	"net"
	"os"
	"sync/atomic"

	corev3 "github.com/envoyproxy/go-control-plane/envoy/config/core/v3"
	extproc "github.com/envoyproxy/go-control-plane/envoy/service/ext_proc/v3"
	"google.golang.org/grpc"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/pkg/live/picker"
)

// Serve serves the EPP and its health at the listeners until ctx ends.
func Serve(ctx context.Context, requests, healthy net.Listener, endpoints string) error {
	server, states := grpc.NewServer(), grpc.NewServer()
	extproc.RegisterExternalProcessorServer(server, &epp{endpoints: endpoints})
	state := health.NewServer()
	state.SetServingStatus("readiness", grpc_health_v1.HealthCheckResponse_SERVING)
	grpc_health_v1.RegisterHealthServer(states, state)
	context.AfterFunc(ctx, func() {
		server.Stop()
		states.Stop()
	})
	go func() { _ = states.Serve(healthy) }()
	return server.Serve(requests)
}

type epp struct {
	extproc.UnimplementedExternalProcessorServer
	// endpoints is the file of endpoints, asked how many requests there were.
	endpoints string
	asked     atomic.Int64
}

// Process implements [extproc.ExternalProcessorServer].
func (e *epp) Process(client extproc.ExternalProcessor_ProcessServer) error {
	var body []byte
	for {
		asked, err := client.Recv()
		if err != nil {
			return nil //nolint:nilerr // the client has ended the exchange
		}
		switch of := asked.Request.(type) {
		case *extproc.ProcessingRequest_RequestBody:
			body = append(body, of.RequestBody.GetBody()...)
			if of.RequestBody.GetEndOfStream() {
				err = e.choose(client, body)
			}
		case *extproc.ProcessingRequest_ResponseHeaders:
			err = client.Send(&extproc.ProcessingResponse{Response: &extproc.ProcessingResponse_ResponseHeaders{ResponseHeaders: &extproc.HeadersResponse{}}})
		}
		if err != nil {
			return err
		}
	}
}

// choose names the next endpoint, and returns the body as it is.
func (e *epp) choose(client extproc.ExternalProcessor_ProcessServer, body []byte) error {
	all, err := e.read()
	if err != nil {
		return err
	}
	at := all[int(e.asked.Add(1)-1)%len(all)]
	set := &extproc.HeaderMutation{SetHeaders: []*corev3.HeaderValueOption{{Header: &corev3.HeaderValue{Key: picker.DestinationHeader, RawValue: []byte(at)}}}}
	return errors.Join(
		client.Send(&extproc.ProcessingResponse{Response: &extproc.ProcessingResponse_RequestHeaders{
			RequestHeaders: &extproc.HeadersResponse{Response: &extproc.CommonResponse{HeaderMutation: set}},
		}}),
		client.Send(&extproc.ProcessingResponse{Response: &extproc.ProcessingResponse_RequestBody{
			RequestBody: &extproc.BodyResponse{Response: &extproc.CommonResponse{BodyMutation: &extproc.BodyMutation{
				Mutation: &extproc.BodyMutation_StreamedResponse{StreamedResponse: &extproc.StreamedBodyResponse{Body: body, EndOfStream: true}},
			}}},
		}}),
	)
}

// read reads the addresses of the endpoints.
func (e *epp) read() ([]string, error) {
	text, err := os.ReadFile(e.endpoints)
	if err != nil {
		return nil, err
	}
	var file struct {
		Endpoints []struct{ Address, Port string }
	}
	if err := yaml.Unmarshal(text, &file); err != nil {
		return nil, err
	}
	var all []string
	for _, e := range file.Endpoints {
		all = append(all, net.JoinHostPort(e.Address, e.Port))
	}
	if len(all) == 0 {
		return nil, errors.New("there is no endpoint")
	}
	return all, nil
}
