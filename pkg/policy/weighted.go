// SPDX-License-Identifier: Apache-2.0

package policy

// A Weighted router adds up scores, whose weights may change between two decisions.
type Weighted interface {
	// Weights lists the weights of all scorers, in an order that does not change.
	Weights() []ScorerWeight
	// SetWeight changes the weight of number i of Weights. Whatever scorers remember and
	// count stays as it is, and a weight that is set to what it is changes nothing.
	SetWeight(i int, weight float64)
}

// ScorerWeight is the weight of a scorer.
type ScorerWeight struct {
	// Profile is the scheduling profile that the scorer is in; empty where there are no
	// profiles.
	Profile string
	// Scorer names the scorer, and Type is its type: the same, or that of its plugin.
	Scorer, Type string
	Weight       float64
}
