// SPDX-License-Identifier: Apache-2.0

package store

import (
	"encoding/json"
	"fmt"

	"windtunnel.dev/windtunnel/internal/clip"
)

// MaxReportBytes bounds a shard's report: Kubernetes cuts a termination
// message there.
const MaxReportBytes = 4096

// Report is what a worker says in its termination message: which ConfigMap
// lists its results, and what that must contain. Results that no report leads to
// belong to no shard.
type Report struct {
	// PlanHash is the plan that the shard worked on, and Round the index of the
	// round.
	PlanHash string `json:"plan"`
	Round    int    `json:"round"`
	// Shard is the shard's index.
	Shard int `json:"shard"`
	// Results is the list of its chunks. Partial says that they are not all: the
	// shard received the order to stop.
	Results *Reference `json:"results,omitempty"`
	Partial bool       `json:"partial,omitempty"`
	// Error says in words why there are none, or not all.
	Error string `json:"error,omitempty"`
	// Invalid says that Error is about an input of the spec: it names the field, and
	// no other try gives anything else.
	Invalid bool `json:"invalid,omitempty"`
	// Rehearsal is what came of a live run; nil of other runs.
	Rehearsal *Rehearsal `json:"rehearsal,omitempty"`
}

// Rehearsal says whether a live run and its simulation are within the limits, in a sentence too. The
// comparison lies beside the rows, under RehearsalKey.
type Rehearsal struct {
	Within  bool   `json:"within"`
	Message string `json:"message"`
}

// Encode returns the report as a termination message. An error's text is cut
// to fit.
func (r Report) Encode() ([]byte, error) {
	raw, err := json.Marshal(r)
	for len(raw) > MaxReportBytes && len(r.Error) > 3 {
		// JSON may write a character as six bytes, so it is the whole that is
		// measured.
		r.Error = clip.Text(r.Error, len(r.Error)*3/4)
		raw, err = json.Marshal(r)
	}
	if err != nil {
		return nil, fmt.Errorf("encode report: %w", err)
	}
	return raw, nil
}

// DecodeReport reads a termination message.
func DecodeReport(message string) (Report, error) {
	var r Report
	if err := json.Unmarshal([]byte(message), &r); err != nil {
		return Report{}, fmt.Errorf("decode report: %w", err)
	}
	return r, nil
}
