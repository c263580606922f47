// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Interrupted is the error of a compilation whose context ended. It wraps that
// context's error.
type Interrupted struct {
	// Field is what was being compiled.
	Field *field.Path
	Err   error
}

func (e *Interrupted) Error() string {
	return fmt.Sprintf("%s: compiling was cut short: %v", e.Field, e.Err)
}

// Unwrap returns the context's error.
func (e *Interrupted) Unwrap() error { return e.Err }
