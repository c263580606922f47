// SPDX-License-Identifier: Apache-2.0

package parameters

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/spelling"
)

// Unknown is the error about a name that nothing has. what says what the known names
// are of.
func Unknown(at *field.Path, name, what string, known []string) *field.Error {
	switch {
	case name == "":
		return field.Required(at, "must be one of "+strings.Join(known, ", "))
	case len(known) == 0:
		return field.Invalid(at, name, fmt.Sprintf("unknown %s; there are none", what))
	}
	detail := fmt.Sprintf("unknown %s; there are %s", what, strings.Join(known, ", "))
	if near := spelling.Nearest(name, known); len(near) > 0 {
		detail += fmt.Sprintf("; did you mean %q?", near[0])
	}
	return field.Invalid(at, name, detail)
}
