// SPDX-License-Identifier: Apache-2.0

package search

// Algorithm proposes points, a generation at a time, and may learn from what
// became of them. It is not safe for concurrent use.
//
// All that an algorithm knows is what Tell reported: after the same generations,
// it proposes the same next one, whether or not it was asked for the former
// ones. So a search that was cut off goes on with a new algorithm, to which the
// trials of its generations are reported one after the other.
type Algorithm interface {
	// Ask returns the next generation: proposals to be tried side by side, in
	// any order. It is empty when the search is over. Asking again gives the
	// same, until Tell.
	Ask() []Proposal
	// Tell reports a trial of each proposal of the generation that Ask returns,
	// in its order.
	Tell([]Trial)
}

// Values gives every parameter of a space a value, in the order of the space.
type Values []Value

// Value is a decimal number in canonical form (see [CanonicalDecimal]) or the
// label of a choice; it is empty where the parameter does not exist.
type Value = string

// Effort is how much of a full simulation a trial is.
type Effort struct {
	// Share is that of the requests (or of the duration), in (0, 1].
	Share float64
	// Seeds are simulated, from the one of index First on in the sequence of
	// seeds that all points meet.
	First, Seeds int
}

// Proposal is a point that is worth an effort.
type Proposal struct {
	Point  Values
	Effort Effort
}
