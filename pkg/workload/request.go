// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// MaxTokens is the greatest length of a prompt's part or of an answer.
const MaxTokens = 10_000_000

// Request is one request of a workload.
type Request struct {
	// ID numbers requests in order of arrival, from 0.
	ID int
	// Arrival is when the request reaches the gateway.
	Arrival simtime.Time
	// Prompt is the tokenised prompt, at least 1 token.
	Prompt prompt.Prompt
	// OutputTokens is the true length of the answer, at least 1. No policy
	// may see it.
	OutputTokens int
	// Response is the text of the generated tokens, as prompt.Extent sources
	// name texts, and ResponseStart where in it they begin. Where a prompt ends
	// with a text that no other request has, the answer continues it.
	Response      uint64
	ResponseStart int32
	// FirstTokenTimeout and Timeout are how long the client waits for the first token
	// and for the last one, from Arrival on; 0 is without end. Then the client gives
	// the request up.
	FirstTokenTimeout, Timeout time.Duration
	// Attempt counts the retries of a request: 0 is the first attempt. First is the
	// ID of the first attempt of a retry.
	Attempt, First int
	// Client, Tenant and Class are indices into the source's Labels.
	Client, Tenant, Class int
	// Origin and Attempt name the request among those of its Client.
	Origin Origin
	// Priority says how important the request is: higher is more, 0 where
	// it is not stated.
	Priority int
	// Session numbers the workload's conversations from 1, in order of their
	// first requests; 0 for a request that belongs to none.
	Session int32
	// Adapter is one more than the index of a LoRA adapter in the source's
	// Labels; 0 asks for the base model.
	Adapter int
	// Headers is one more than the index of a set of headers in the source's
	// Labels; 0 where the request carries none.
	Headers int
	// Model is one more than the index of a model in the source's Labels; 0 where
	// the request names none.
	Model int
}

// Origin is the place of a request in what its client or trace sends. Policies change when a
// request arrives, and so its ID. They do not change what is at a place.
type Origin struct {
	// Session numbers the conversations of the client or trace from 1; 0 is none. Turn
	// numbers the turns of a client's conversation from 1.
	Session, Turn int32
	// Step numbers the requests of a client's conversation from 1, those of a client without
	// conversations, or the rows of a trace.
	Step int
}

// Labels names what the indices in requests stand for. All but the clients are in
// order of first mention.
type Labels struct {
	Clients, Tenants, Classes, Adapters, Models []string
	// Headers are sets of headers by name, no two alike.
	Headers []map[string]string
}

// Source is a stream of requests, in order of arrival. It may be endless. A
// source belongs to one simulation and is not safe for concurrent use.
type Source interface {
	// Next returns the next request, or false when there are no more.
	Next() (Request, bool)
	// Labels returns the names; the caller does not change them.
	Labels() Labels
}

// DefaultLabel is the tenant and class of requests that name none.
const DefaultLabel = "default"
