// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"errors"
	"fmt"
	"time"

	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// ErrNoEndpoint says that routing left no endpoint to choose. The gateway
// answers such a request with 429; the simulator counts it as rejected.
var ErrNoEndpoint = errors.New("no endpoint left to choose")

// ErrShed says that a request was turned away because the pool is saturated and
// the request is of the kind that gives way first.
var ErrShed = fmt.Errorf("shed, as the pool is saturated: %w", ErrNoEndpoint)

// Request is what a policy may know of a request: everything but the length
// of the answer.
type Request struct {
	// ID numbers requests in order of arrival, from 0.
	ID int
	// Model is one more than the index of the base model in the workload's labels
	// that the request asks for; 0 where it names none. Router is the index of its
	// router, 0 where there is one. Turn numbers the requests with the same Router in
	// order of arrival, from 0.
	Model, Router int32
	Turn          int
	// Arrival is when the request reached the gateway.
	Arrival simtime.Time
	// Prompt is the tokenised prompt.
	Prompt prompt.Prompt
	// Tokens is the length of Prompt.
	Tokens int
	// Tenant and Class are indices into the workload's labels.
	Tenant, Class int
	// Priority is higher for more important requests; 0 unless stated.
	Priority int
	// Session numbers the workload's conversations from 1, without gaps so far
	// as possible; 0 for a request that belongs to none. The client that leads a
	// session sends its requests, and has seen the answers.
	Session int32
	// Adapter numbers the LoRA adapters from 1; 0 asks for the base model.
	Adapter int32
	// Headers numbers the sets of headers that requests carry from 1; 0 is none.
	Headers int32
	// TTFT and TPOT are the latencies that the client states it was promised; 0
	// states nothing.
	TTFT, TPOT time.Duration
	// Hints are what the policies before the router tell the engine.
	Hints Hints
}

// Scrape is what the router last read from one replica's metrics endpoint.
type Scrape struct {
	// At is when it was read.
	At simtime.Time
	// Waiting and Running count the engine's requests.
	Waiting, Running int
	// KVUsage is the share of KV blocks in use, 0 to 1.
	KVUsage float64
	// Transfers counts the KV transfers from and to the replica that are in
	// flight, and TransferDelay is how long what they have left takes the
	// busiest of its links and devices; 0 where nothing is transferred.
	Transfers     int
	TransferDelay time.Duration
	// BlockTokens and Blocks are the engine's KV block size and count.
	BlockTokens, Blocks int
}

// View is the state that a routing decision may see.
type View struct {
	// Now is the time of the decision.
	Now simtime.Time
	// Scrapes holds the last scrape of each endpoint; len == endpoints.
	Scrapes []Scrape
	// Changed lists the endpoints whose scrape has changed, in more than At,
	// since the last call of the Router, in any order and perhaps repeatedly:
	// what was made of the other scrapes need not be made again. If it is nil,
	// or longer than Scrapes, any of them may have changed.
	Changed []int32
	// Down says of each endpoint whether it is gone: failed, or draining and
	// no longer to be chosen; len == endpoints. It is nil where all are there.
	Down []bool
	// Adapters holds what the last scrape of each endpoint said of its LoRA
	// adapters; len == endpoints. It is nil where engines serve none. The slices
	// in it are as [Request].Adapter numbers adapters.
	Adapters []Adapters
	// Engines holds what the last scrape of each endpoint said of its engine in addition to
	// Scrapes; len == endpoints. It is nil where no router asks for it
	// ([Routing].Engines).
	Engines []Engine
	// Traffic is what the gateway has counted; nil where no policy asks for it. The
	// request that is decided on has arrived, and has not been admitted.
	Traffic *Traffic
}

// Adapters is what an engine reports of its LoRA adapters.
type Adapters struct {
	// Active are those that requests run with, Waiting those that waiting
	// requests ask for, each once.
	Active, Waiting []int32
	// Max is how many the engine holds at a time.
	Max int
}

// NoPrefill is the Route.Prefill of a request whose prompt the endpoint
// computes that decodes it.
const NoPrefill = -1

// Route is where a request goes.
type Route struct {
	// Endpoint decodes, and its answer is what the gateway sees.
	Endpoint int
	// Prefill computes the prompt first and hands its KV over to Endpoint;
	// NoPrefill if Endpoint does all of it.
	Prefill int
	// Believed is what the router believes that the endpoint has of the prompt which
	// computes it. Nothing follows from it: results compare it with what was there.
	Believed Belief
}

// Belief is how much of a prompt's beginning a router believes to be in an endpoint's
// cache. The zero value is of a router that keeps no index of caches.
type Belief struct {
	Known  bool
	Tokens int
}

// Believing is the belief in a number of tokens.
func Believing(tokens int) Belief { return Belief{Known: true, Tokens: tokens} }

// Computes returns the endpoint that computes the prompt.
func (d Route) Computes() int {
	if d.Prefill == NoPrefill {
		return d.Endpoint
	}
	return d.Prefill
}

// To is the decision that one endpoint serves all of a request.
func To(endpoint int) Route { return Route{Endpoint: endpoint, Prefill: NoPrefill} }

// Router chooses the endpoints that serve a request. One simulation owns a
// Router; it is not called concurrently.
type Router interface {
	// Route returns the chosen endpoints, or an error that wraps ErrNoEndpoint, or,
	// where there is a [Queue], ErrHeld. The view and the request are only valid
	// during the call. A request whose endpoint failed is routed again.
	Route(view *View, request *Request) (Route, error)
}
