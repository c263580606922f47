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
	// Evolved parameters take what their Genome makes, without end.
	Evolved
)

// Parameter is one dimension of a space.
type Parameter struct {
	Name string
	Kind Kind
	// Min, Max and Step are decimal numbers, such as "0.5". Step may be empty
	// for Integer and must be for Continuous; all three are for Choice.
	Min, Max, Step string
	// LogScale has searches see the logarithm of the number: those that spread
	// points spread logarithms evenly, in place of the numbers.
	LogScale bool
	// Choices are the labels of a Choice.
	Choices []string
	// Genome makes the values of an Evolved parameter.
	Genome Genome
	// When says where the parameter exists; nil means everywhere.
	When *Condition
}

// Condition has a parameter exist only where an earlier parameter has one of
// some values. Where that one does not exist itself, neither does this one.
type Condition struct {
	Parameter string
	Values    []string
}

// Rule is a CEL expression over the parameters of a space that holds at every
// point of it, such as "prefix / queue <= 1.33". Numbers are doubles, also the
// labels of a Choice where all are numbers; those that are true and false are
// bools, and other labels are strings. A parameter whose name is no identifier
// is written parameter("its-name"). A rule that uses a parameter which does not
// exist at a point does not speak of that point; one that has no value there,
// because it divides by 0, does not hold.
type Rule struct {
	Expression string
	// Message says in words what the rule wants; it may be empty.
	Message string
}

// Space is the product of its parameters: one value of each is a point, where
// the parameter exists. Every point fulfils all rules.
type Space struct {
	Parameters []Parameter
	Rules      []Rule
}

// Size returns the number of combinations of the parameters' values in a valid
// space; the largest uint64 where there are as many or more. It is exact where
// nothing but the parameters makes the space; conditions and rules leave fewer
// points than that.
func (s Space) Size() (points uint64, exact bool) {
	c, errs := s.cube(nil)
	if len(errs) > 0 {
		panic(fmt.Sprintf("search: size of an invalid space: %v", errs.ToAggregate()))
	}
	return c.size(), c.plain()
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

// axes returns an axis for each parameter, or everything that is wrong. path
// is that of the list of parameters.
func (s Space) axes(path *field.Path) ([]axis, field.ErrorList) {
	if len(s.Parameters) == 0 {
		return nil, field.ErrorList{field.Required(path, "there must be a parameter to vary")}
	}
	var errs field.ErrorList
	axes := make([]axis, len(s.Parameters))
	seen := map[string]bool{}
	for i, p := range s.Parameters {
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
