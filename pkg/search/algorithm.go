// SPDX-License-Identifier: Apache-2.0

package search

// Algorithm proposes points and may learn from what became of them. It is
// deterministic: the same calls give the same points. It is not safe for
// concurrent use.
//
// Grid and Random know all of their points beforehand, and to them Tell means
// nothing. An adaptive algorithm keeps what it is told, and proposes from it:
// its caller asks for a generation of as many points as it can try side by
// side, tries them, tells all of them at once, and asks again, until Ask
// returns none. Since trials finish in any order, such an algorithm must not
// depend on the order within one call of Tell; and since a caller may start
// anew, one that is told earlier trials first must go on as if it had asked
// for them.
type Algorithm interface {
	// Ask returns the next points, at most n; fewer where there are no more.
	// Asking for m and then for n gives the same points as asking for m+n,
	// unless Tell comes in between.
	Ask(n int) []Point
	// Tell reports trials of points that Ask returned, or of others.
	Tell([]Trial)
}

// Point gives every parameter of a space a value, in the order of the space.
type Point []Value

// Value is a decimal number in canonical form (see [CanonicalDecimal]) or the
// label of a choice.
type Value = string

// Trial is a point and what became of it.
type Trial struct {
	Point Point
	// Losses holds one number for each objective, in the caller's order; less
	// is better. It is nil where the trial failed.
	Losses []float64
}
