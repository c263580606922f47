// SPDX-License-Identifier: Apache-2.0

package search

import (
	"fmt"
	"math"
	"math/bits"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Kind is what the values of a parameter are.
type Kind int

// The kinds of parameters.
const (
	// Continuous parameters take numbers from an interval, to six significant
	// digits of the interval's width; with LogScale, of the number itself.
	Continuous Kind = iota
	// Stepped parameters take Min, Min+Step, Min+2·Step and so on up to Max.
	Stepped
	// Integer parameters take whole numbers: every one, or where there is a
	// Step, as Stepped parameters do.
	Integer
	// Choice parameters take one of a list of labels.
	Choice
)

// Parameter is one dimension of a space.
type Parameter struct {
	Name string
	Kind Kind
	// Min, Max and Step are decimal numbers, such as "0.5". Step may be empty
	// for Integer and must be for Continuous; all three are for Choice.
	Min, Max, Step string
	// LogScale has Random spread the logarithms of the numbers evenly, in
	// place of the numbers.
	LogScale bool
	// Choices are the labels of a Choice.
	Choices []string
}

// Space is the product of its parameters: one value of each is a point.
type Space []Parameter

// Validate returns everything that is wrong with the space. path is that of
// the list of parameters; beneath it errors name [i].name, [i].range.min, .max
// and .step, and [i].values.
func (s Space) Validate(path *field.Path) field.ErrorList {
	_, errs := s.axes(path)
	return errs
}

// Size returns the number of points of a valid space; the largest uint64 where
// there are as many or more.
func (s Space) Size() uint64 {
	axes, errs := s.axes(nil)
	if len(errs) > 0 {
		panic(fmt.Sprintf("search: size of an invalid space: %v", errs.ToAggregate()))
	}
	return size(axes)
}

// size multiplies the sizes of axes, up to the largest uint64.
func size(axes []axis) uint64 {
	product := uint64(1)
	for _, a := range axes {
		overflow, low := bits.Mul64(product, uint64(a.size()))
		if overflow != 0 {
			return math.MaxUint64
		}
		product = low
	}
	return product
}

// axes returns an axis for each parameter, or everything that is wrong.
func (s Space) axes(path *field.Path) ([]axis, field.ErrorList) {
	if len(s) == 0 {
		return nil, field.ErrorList{field.Required(path, "there must be a parameter to vary")}
	}
	var errs field.ErrorList
	axes := make([]axis, len(s))
	seen := map[string]bool{}
	for i, p := range s {
		at := path.Index(i)
		switch {
		case p.Name == "":
			errs = append(errs, field.Required(at.Child("name"), "every parameter must have a name"))
		case seen[p.Name]:
			errs = append(errs, field.Duplicate(at.Child("name"), p.Name))
		}
		seen[p.Name] = true
		a, es := p.axis(at)
		axes[i], errs = a, append(errs, es...)
	}
	return axes, errs
}
