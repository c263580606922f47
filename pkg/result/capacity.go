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
	// RequestsPerSecond is what a load of 1 is; absent where this is not known.
	RequestsPerSecond float64 `json:"requestsPerSecond,omitempty"`
	// Demand is the load that a pool has to bear; absent where none is stated.
	Demand *Demand `json:"demand,omitempty"`
}

// Demand is a load that a pool has to bear, and whether this pool does.
type Demand struct {
	// Load is what was stated, and Headroom the share by which more is borne.
	Load     string  `json:"load"`
	Headroom float64 `json:"headroom,omitempty"`
	// WithHeadroom is the load at which pools were judged: that of the figures.
	WithHeadroom string `json:"withHeadroom"`
	// Parameter is the number of replicas, and Replicas that of this pool.
	Parameter string `json:"parameter"`
	Replicas  int    `json:"replicas"`
	// Survive is how many replicas were asked to be able to fail.
	Survive int `json:"survive,omitempty"`
	// Verdict says whether the pool bears the demand, and Survives that it does without so
	// many replicas, too; without one where none were asked for.
	Verdict  Feasibility `json:"verdict"`
	Survives bool        `json:"survives,omitempty"`
	Price
}

// Price is what the pools of a candidate take.
type Price struct {
	Accelerators int `json:"accelerators"`
	// CostPerHour is absent where some pool has no price.
	CostPerHour *float64 `json:"costPerHour,omitempty"`
}

// Suffices says that the pool does all that was asked.
func (d *Demand) Suffices() bool { return d.Fits() && (d.Survive == 0 || d.Survives) }

// Fits says that the pool was shown to bear the demand.
func (d *Demand) Fits() bool { return d.Verdict == LoadMet }

// HoldsNumber is the highest load that was shown to hold; false where none was.
func (c *Capacity) HoldsNumber() (float64, bool) {
	held, err := strconv.ParseFloat(c.Holds, 64)
	return held, err == nil
}

// loss ranks capacities, those that bear more first; without one all are equal. With a
// demand the smallest pool that suffices is first, and of those that do not the largest.
func (c *Capacity) loss() float64 {
	switch {
	case c == nil:
		return 0
	case c.Demand != nil && c.Demand.Suffices():
		return float64(c.Demand.Replicas) - mostReplicas
	case c.Demand != nil:
		return -float64(c.Demand.Replicas)
	}
	held, _ := c.HoldsNumber()
	return -held
}

// mostReplicas is more than any pool has.
const mostReplicas = 1e9
