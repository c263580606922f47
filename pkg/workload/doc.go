// SPDX-License-Identifier: Apache-2.0

// Package workload turns a description of traffic into a stream of requests:
// synthetic clients with [NewClients], recorded traffic with [ReadTrace] and
// [Trace.Replay]. A request says when it arrives, what its prompt consists of
// and how long its answer is; the package knows nothing of who serves it.
//
// Streams are open-loop: arrivals do not wait for answers, not even the turns of
// a conversation for the one before. Everything that looks random follows from a
// seed and a name, never from the order of calls, so that a client's requests
// stay the same whoever else is there.
package workload
