// SPDX-License-Identifier: Apache-2.0

package result

import (
	"strconv"
)

// Capacity is how much load a candidate bears: between the highest at which its
// constraints were shown to hold and the lowest at which they were not.
type Capacity struct {
	// Load is the parameter's name.
	Load string `json:"load"`
	// Holds and Breaks are loads; the one is absent where none was found to hold,
	// the other where none was found to break.
	Holds  string `json:"holds,omitempty"`
	Breaks string `json:"breaks,omitempty"`
	// Undecided says that the constraints were not shown to break at Breaks
	// either, Open that the search ended before the bracket was narrow.
	Undecided bool `json:"undecided,omitempty"`
	Open      bool `json:"open,omitempty"`
	// Against are loads beyond the bracket where it is the other way round.
	Against []string `json:"against,omitempty"`
	// Tried are the loads that were simulated, ascending.
	Tried []Tried `json:"tried,omitempty"`
}

// loss ranks capacities, those that bear more first; without one all are equal.
func (c *Capacity) loss() float64 {
	if c == nil {
		return 0
	}
	held, err := strconv.ParseFloat(c.Holds, 64)
	if err != nil {
		return 0 // none was found to hold
	}
	return -held
}
