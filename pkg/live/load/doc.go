// SPDX-License-Identifier: Apache-2.0

// Package load sends the requests of a workload to servers of the OpenAI API, in real time, and
// measures the answers by the client's clock. The requests are those of a simulation: the same
// source gives them, open or closed loop, with time-outs and retries. They go to one URL, or to
// the endpoints that an EPP chooses ([windtunnel.dev/windtunnel/pkg/live/picker]).
//
// [Run] sends; a [Meter] makes rows of results of what it reports. Neither knows what serves the
// requests.
package load
