// SPDX-License-Identifier: Apache-2.0

package tree

// A Node is a decision, or a leaf: it has If, Then and Else, or Value, or Sum.
type Node struct {
	If   *Predicate `json:"if,omitempty"`
	Then *Node      `json:"then,omitempty"`
	Else *Node      `json:"else,omitempty"`
	// Value is the answer.
	Value *float64 `json:"value,omitempty"`
	// Sum is the answer, with Plus.
	Sum  []Term  `json:"sum,omitempty"`
	Plus float64 `json:"plus,omitempty"`
}

// A Term is a field times a weight.
type Term struct {
	// Field is GROUP.NAME, such as request.tokens. A field of the rows, such as
	// endpoints.waiting, is that of the row that the answer is for; with .min, .max, .mean
	// or .sum after it, it is that of all rows.
	Field string  `json:"field"`
	Times float64 `json:"times"`
}

// A Predicate compares a field with one number or one name.
type Predicate struct {
	Field   string   `json:"field"`
	Above   *float64 `json:"above,omitempty"`
	AtLeast *float64 `json:"atLeast,omitempty"`
	Below   *float64 `json:"below,omitempty"`
	AtMost  *float64 `json:"atMost,omitempty"`
	Equals  *float64 `json:"equals,omitempty"`
	// Is is the name of a tenant or a class.
	Is *string `json:"is,omitempty"`
}
