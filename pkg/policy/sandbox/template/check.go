// SPDX-License-Identifier: Apache-2.0

package template

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Check says which numbers are not those of the template. Errors are below path.
func (t *Template) Check(numbers map[string]float64, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, name := range slices.Sorted(maps.Keys(numbers)) {
		p := t.Parameter(name)
		if p == nil {
			errs = append(errs, field.NotSupported(path, name, t.names()))
			continue
		}
		if x := numbers[name]; !p.allows(x) {
			errs = append(errs, field.Invalid(path.Child(name), x, "must be "+p.Allowed()))
		}
	}
	return errs
}

func (t *Template) names() []string {
	var names []string
	for i := range t.Parameters {
		names = append(names, t.Parameters[i].Name)
	}
	return names
}

func (p *Parameter) allows(x float64) bool {
	return x >= p.Min && x <= p.Max && (!p.Whole || x == math.Trunc(x)) // which NaN is not
}

// Allowed says in words which numbers the parameter may have.
func (p *Parameter) Allowed() string {
	kind := "a number"
	if p.Whole {
		kind = "a whole number"
	}
	return fmt.Sprintf("%s from %s to %s", kind, number(p.Min), number(p.Max))
}

// number writes a number as people do.
func number(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
