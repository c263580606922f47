// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/workload"
)

// TooLong says what becomes of rows that have, prompt and answer together, more than
// MaxTokens tokens. The zero TooLong keeps them.
type TooLong struct {
	MaxTokens int
	Action    TooLongAction
}

// TooLongAction is what becomes of a row that is too long.
type TooLongAction string

const (
	// Clip takes the end of the prompt away. Of an answer that is too long by itself,
	// MaxTokens − 1 tokens remain, behind a prompt of 1.
	Clip TooLongAction = "Clip"
	// RefuseTooLong makes the row an error.
	RefuseTooLong TooLongAction = "Refuse"
	// Skip leaves the row out, with those that wait for its end.
	Skip TooLongAction = "Skip"
)

// tooLongActions lists what may become of such rows.
func tooLongActions() []TooLongAction { return []TooLongAction{Clip, RefuseTooLong, Skip} }

func (l TooLong) validate(path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if l == (TooLong{}) {
		return nil
	}
	if l.MaxTokens < 2 || l.MaxTokens > 2*workload.MaxTokens {
		errs = append(errs, field.Invalid(path.Child("maxTokens"), l.MaxTokens, fmt.Sprintf("must be between 2 and %d", 2*workload.MaxTokens)))
	}
	if !slices.Contains(tooLongActions(), l.Action) {
		errs = append(errs, field.NotSupported(path.Child("action"), l.Action, tooLongActions()))
	}
	return errs
}

// has reports whether a row is too long.
func (l TooLong) has(rec *record) bool {
	return l.MaxTokens > 0 && int(rec.input)+int(rec.output) > l.MaxTokens
}

// clip makes a row with blocks of a number of tokens as long as it may be.
func (l TooLong) clip(rec *record, blockTokens int32) {
	rec.output = min(rec.output, int32(l.MaxTokens)-1)
	rec.input = int32(l.MaxTokens) - rec.output
	if blockTokens > 0 {
		rec.ids = rec.ids[:min(len(rec.ids), int(rec.input/blockTokens))]
	}
}
