// SPDX-License-Identifier: Apache-2.0

package result

// Direction says which way a metric improves.
type Direction string

const (
	// Maximize says that more is better.
	Maximize Direction = "Maximize"
	// Minimize says that less is better.
	Minimize Direction = "Minimize"
)

// Objective is a metric to improve.
type Objective struct {
	Metric    Metric    `json:"metric"`
	Direction Direction `json:"direction"`
}

// compare returns a negative number where a is better than b, and 0 where
// they are equal.
func (o Objective) compare(a, b float64) int {
	switch {
	case a == b:
		return 0
	case (a < b) == (o.Direction == Minimize):
		return -1
	default:
		return 1
	}
}
