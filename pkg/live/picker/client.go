// SPDX-License-Identifier: Apache-2.0

package picker

import (
	"context"
	"fmt"
	"net/http"

	extproc "github.com/envoyproxy/go-control-plane/envoy/service/ext_proc/v3"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// Names of the protocol between gateways and EPPs (llm-d-router, pkg/epp/metadata).
const (
	// DestinationHeader names the chosen endpoint, in the headers of the request and in the
	// metadata of the namespace destinationNamespace.
	DestinationHeader    = "x-gateway-destination-endpoint"
	destinationNamespace = "envoy.lb"
	// scoresKey has the scores of the endpoints in the same metadata.
	scoresKey = "x-gateway-destination-endpoint-scores"
	// DroppedReasonHeader says why the EPP ends a request.
	DroppedReasonHeader = "x-llm-d-request-dropped-reason"
)

// chunkBytes is how much of a body a message has at most: below the limit of a gRPC message.
const chunkBytes = 64 << 10

// Request is an HTTP request for which an endpoint is to be chosen.
type Request struct {
	// Path is that of the URL, as /v1/completions.
	Path   string
	Header http.Header
	Body   []byte
}

// Client asks one EPP. It is safe for concurrent use.
type Client struct {
	connection *grpc.ClientConn
	rpc        extproc.ExternalProcessorClient
}

// NewClient returns a client of the EPP at an address, as host:port. It connects at the first
// request, without TLS.
func NewClient(address string) (*Client, error) {
	connection, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return nil, fmt.Errorf("EPP %s: %w", address, err)
	}
	return &Client{connection: connection, rpc: extproc.NewExternalProcessorClient(connection)}, nil
}

// Close ends the connection. Exchanges that are open fail.
func (c *Client) Close() error { return c.connection.Close() }

// Pick sends a request to the EPP and waits for the endpoint. A request that the EPP refuses
// gives a [*Rejection]. Where ctx ends, so does the exchange, and the EPP counts the request as
// given up.
func (c *Client) Pick(ctx context.Context, r Request) (*Exchange, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	stream, err := c.rpc.Process(ctx)
	if err != nil {
		cancel(err)
		return nil, fmt.Errorf("ask the EPP: %w", err)
	}
	e := &Exchange{ctx: ctx, cancel: cancel, stream: stream, over: make(chan struct{}), answered: make(chan *extproc.HeaderMutation, 1)}
	if err := e.ask(&r); err != nil {
		cancel(err)
		return nil, err
	}
	go e.listen()
	return e, nil
}
