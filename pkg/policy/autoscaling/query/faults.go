// SPDX-License-Identifier: Apache-2.0

package query

import (
	"fmt"
	"strings"
)

// Fault is why a query cannot be evaluated.
type Fault struct {
	// At is the character at which it is, from 1; 0 where the place is not known.
	At   int
	Text string
	// InSelector says that the fault is one of the requirements, and not of the query.
	InSelector bool
}

// Faults are all faults of a query.
type Faults []Fault

// Error lists the faults.
func (f Faults) Error() string {
	var all []string
	for _, fault := range f {
		if fault.At == 0 {
			all = append(all, fault.Text)
			continue
		}
		all = append(all, fmt.Sprintf("character %d: %s", fault.At, fault.Text))
	}
	return strings.Join(all, "; ")
}
