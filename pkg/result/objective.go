// SPDX-License-Identifier: Apache-2.0

package result

import "fmt"

// Direction says which way a metric improves.
type Direction string

const (
	// Maximize says that more is better.
	Maximize Direction = "Maximize"
	// Minimize says that less is better.
	Minimize Direction = "Minimize"
)

// Objective is a measure to improve.
type Objective struct {
	Measure   Measure   `json:"metric"`
	Direction Direction `json:"direction"`
}

func (o Objective) check() error {
	if o.Direction != Maximize && o.Direction != Minimize {
		return fmt.Errorf("objective %s has direction %q; there are %s and %s", o.Measure, o.Direction, Maximize, Minimize)
	}
	return nil
}

// Loss turns a value so that less is better.
func (o Objective) Loss(value float64) float64 {
	if o.Direction == Maximize {
		return -value
	}
	return value
}
