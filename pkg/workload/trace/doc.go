// SPDX-License-Identifier: Apache-2.0

// Package trace reads recorded traffic and sends it again as a
// [windtunnel.dev/windtunnel/pkg/workload.Source].
//
// [Read] makes a [Trace] of a file in one of [Formats]. A format settles the units and
// the meaning of each field. [Trace.Replay] returns the requests, and [Trace.Statistics]
// describes them. [WriteMooncake] makes up a trace for trials.
package trace
