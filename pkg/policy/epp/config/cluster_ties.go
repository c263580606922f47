// SPDX-License-Identifier: Apache-2.0

package config

import "fmt"

// A TieBreak says which of several endpoints with the highest score a
// max-score-picker takes.
type TieBreak string

const (
	// TieRandom takes any, each with the same probability, as all versions from
	// gie-v0.5.1 to router-main do; an empty TieBreak means this too.
	TieRandom TieBreak = "Random"
	// TieFirst takes the first one of the candidates, as EPPs before gie-v0.5.1.
	TieFirst TieBreak = "First"
	// TieRotate takes them in turn by a counter of picks that all max-score-pickers
	// of one EPP share, as the router after router-main (from 2026-09 on) does.
	TieRotate TieBreak = "Rotate"
)

// Check panics for an unknown value.
func (t TieBreak) Check() {
	switch t {
	case "", TieRandom, TieFirst, TieRotate:
	default:
		panic(fmt.Sprintf("epp: unknown tie-break %q", t))
	}
}
