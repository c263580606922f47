// SPDX-License-Identifier: Apache-2.0

package experiment

import "windtunnel.dev/windtunnel/pkg/result"

// Simulation is the result of one point under one seed.
type Simulation struct {
	Row result.Row
	// Document is the whole result of a run, or of a point that is followed through time. Of other
	// points there are rows only.
	Document *result.Document
	// Decisions are the routing decisions that the plan keeps, as a gzip file of
	// JSON lines; nil if they are not requested.
	Decisions []byte
	// Series are time series; nil if they are not requested.
	Series *result.Series
	// Rehearsal is the comparison with a live run, as a gzip file of one JSON document; nil of other runs.
	Rehearsal []byte
	// Steps are those of programs. They are not stored.
	Steps uint64
}
