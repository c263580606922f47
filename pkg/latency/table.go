// SPDX-License-Identifier: Apache-2.0

package latency

import (
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"
)

// Table is measured step times on two grids. As a file it is YAML:
//
//	prefill:                      # steps of one chunk of a prompt
//	  newTokens: [1, 512, 2048]   # what it computes
//	  contextTokens: [0, 8192]    # what was computed before
//	  microseconds:               # a row for each of newTokens
//	  - [6800, 7100]
//	  - [12500, 16300]
//	  - [41000, 56200]
//	decode:                       # steps in which sequences compute a token each
//	  sequences: [1, 64, 256]
//	  contextTokens: [128, 8192]  # of a sequence, the new token included
//	  microseconds:               # a row for each of sequences
//	  - [6700, 6900]
//	  - [7900, 14000]
//	  - [11800, 36500]
//	fixedMicroseconds: 6700       # optional
//
// A step of several chunks counts as one of as many new tokens, after the
// context that gives it the same attention pairs, or none if that is less than
// nothing. Decodes count with their mean context. A step of both takes the
// longer of the two times, and of the shorter one what exceeds
// fixedMicroseconds: what every step pays once, the reading of the weights
// above all. It is the least time of the decode grid unless given.
type Table struct {
	Prefill           PrefillGrid `json:"prefill"`
	Decode            DecodeGrid  `json:"decode"`
	FixedMicroseconds *float64    `json:"fixedMicroseconds,omitempty"`
}

// PrefillGrid is times by new tokens and context; see Table.
type PrefillGrid struct {
	NewTokens     []int       `json:"newTokens"`
	ContextTokens []int       `json:"contextTokens"`
	Microseconds  [][]float64 `json:"microseconds"`
}

// DecodeGrid is times by sequences and context; see Table.
type DecodeGrid struct {
	Sequences     []int       `json:"sequences"`
	ContextTokens []int       `json:"contextTokens"`
	Microseconds  [][]float64 `json:"microseconds"`
}

// ParseTable reads a table and validates it. Unknown keys are faults.
func ParseTable(raw []byte, path *field.Path) (Table, field.ErrorList) {
	var t Table
	text, err := yaml.YAMLToJSONStrict(raw)
	if err != nil {
		return t, field.ErrorList{field.Invalid(path, field.OmitValueType{}, err.Error())}
	}
	if errs := decodeStrict(text, &t, path); len(errs) > 0 {
		return t, errs
	}
	return t, t.Validate(path)
}

// Extrapolator is a timer that knows how often it was asked for more than it
// was given.
type Extrapolator interface {
	// Extrapolated returns the number of steps that lay outside what was
	// measured, since the timer was made.
	Extrapolated() int64
}

// TableTimer gives the step times of a table. Outside its grids it goes on as
// steep as their last cells rise, stays at their first points, and counts.
type TableTimer struct {
	prefill, decode grid
	fixed           float64 // ns
	outside         atomic.Int64
}

// Timer returns the table's step times, to be used for one run. What Validate
// refuses must not come here.
func (t Table) Timer() *TableTimer {
	if errs := t.Validate(nil); len(errs) > 0 {
		panic("latency: table: " + errs.ToAggregate().Error())
	}
	return &TableTimer{
		prefill: newGrid(t.Prefill.NewTokens, t.Prefill.ContextTokens, t.Prefill.Microseconds),
		decode:  newGrid(t.Decode.Sequences, t.Decode.ContextTokens, t.Decode.Microseconds),
		fixed:   t.fixedMicroseconds() * 1e3,
	}
}

func (t Table) fixedMicroseconds() float64 {
	if t.FixedMicroseconds != nil {
		return *t.FixedMicroseconds
	}
	least := t.Decode.Microseconds[0][0]
	for _, row := range t.Decode.Microseconds {
		for _, v := range row {
			least = min(least, v)
		}
	}
	return least
}

// Extrapolated implements Extrapolator.
func (t *TableTimer) Extrapolated() int64 { return t.outside.Load() }

// StepTime implements StepTimer.
func (t *TableTimer) StepTime(s Step) time.Duration {
	var prefill, decode float64
	var outsidePrefill, outsideDecode bool
	if s.PrefillTokens > 0 {
		n := float64(s.PrefillTokens)
		context := float64(s.AttentionPairs-s.DecodePairs)/n - (n+1)/2
		prefill, outsidePrefill = t.prefill.interpolateNs(n, max(0, context))
	}
	if s.DecodeTokens > 0 {
		n := float64(s.DecodeTokens)
		decode, outsideDecode = t.decode.interpolateNs(n, float64(s.DecodePairs)/n)
	}
	if outsidePrefill || outsideDecode {
		t.outside.Add(1)
	}
	longer, shorter := max(prefill, decode), min(prefill, decode)
	if longer == 0 {
		longer = t.fixed
	}
	return wholeNanoseconds(longer + max(0, shorter-t.fixed))
}
