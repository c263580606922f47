// SPDX-License-Identifier: Apache-2.0

package search

import "k8s.io/apimachinery/pkg/util/validation/field"

// Kind is what the values of a parameter are.
type Kind int

// The kinds of parameters.
const (
	Continuous Kind = iota
	Stepped
	Integer
	Choice
)

// Parameter is one axis of a space. Min, Max and Step are decimal numbers.
type Parameter struct {
	Name           string
	Kind           Kind
	Min, Max, Step string
	LogScale       bool
	Choices        []string
}

// Canonical writes a value the way points hold it.
func (p Parameter) Canonical(value string) (Value, error) { return value, nil }

// Space is the product of its parameters.
type Space []Parameter

// Validate reports every fault; path is that of the list of parameters.
func (s Space) Validate(path *field.Path) field.ErrorList { return nil }

// Value is a canonical decimal number, or the label of a choice.
type Value = string

// Point is one value a parameter.
type Point []Value

// Trial is a point that was tried. Losses holds one number an objective, less is better; nil: it failed.
type Trial struct {
	Point  Point
	Losses []float64
}

// Algorithm proposes points.
type Algorithm interface {
	Ask(n int) []Point
	Tell([]Trial)
}

type Grid struct{}

func NewGrid(s Space, path *field.Path) (*Grid, field.ErrorList) { return nil, nil }
func (g *Grid) Ask(n int) []Point                                { return nil }
func (g *Grid) Tell([]Trial)                                     {}
func (g *Grid) Size() uint64                                     { return 0 }

type Random struct{}

func NewRandom(s Space, seed int64, maxTrials int, path *field.Path) (*Random, field.ErrorList) {
	return nil, nil
}
func (r *Random) Ask(n int) []Point { return nil }
func (r *Random) Tell([]Trial)      {}

// CanonicalDecimal writes a decimal number without superfluous zeros.
func CanonicalDecimal(text string) (string, error) { return text, nil }
