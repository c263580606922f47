// SPDX-License-Identifier: Apache-2.0

// Package workload converts a description of traffic into a stream of requests:
// synthetic clients with [NewClients]. Recorded traffic is in the package trace
// below it. It does not know how requests are served.
//
// A request has an arrival time, a prompt and the length of its answer. In an open loop
// arrivals do not wait for answers. A [Listener] is a source that hears how its requests
// end: the users of a [ClosedLoop], sessions whose turns wait for answers, rows of a
// trace with a delay, and clients that try again, with [WithRetries]. [Mix] merges
// sources.
//
// A prompt of a client is its prefix, [Examples], the context of its [Sessions], [Media]
// and a part of its own; an answer may begin with [Reasoning]. Each part is a text, so
// prompts share what a real cache would find. A turn of a session may be several requests,
// with [Branches] and [Tools].
//
// All randomness follows from a seed and a name, and never
// from the order of calls, so the requests of a client do not depend on other clients.
package workload
