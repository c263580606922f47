// SPDX-License-Identifier: Apache-2.0

package search

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// parent is a condition, found: the index of the parameter that it looks at,
// and the values that it wants there. Without a condition the index is -1.
type parent struct {
	index  int
	values []Value
}

// parents finds what the conditions speak of. path is that of the list of
// parameters, whose axes must be sound.
func (s Space) parents(axes []axis, path *field.Path) ([]parent, field.ErrorList) {
	var errs field.ErrorList
	parents := make([]parent, len(s.Parameters))
	for i, p := range s.Parameters {
		if p.When == nil {
			parents[i].index = -1
			continue
		}
		found, es := s.parent(i, axes, path.Index(i).Child("when"))
		parents[i], errs = found, append(errs, es...)
	}
	return parents, errs
}

func (s Space) parent(i int, axes []axis, path *field.Path) (parent, field.ErrorList) {
	when := s.Parameters[i].When
	index := slices.IndexFunc(s.Parameters[:i], func(p Parameter) bool { return p.Name == when.Parameter })
	if index < 0 {
		return parent{}, field.ErrorList{field.Invalid(path.Child("parameter"), when.Parameter, "must be the name of an earlier parameter")}
	}
	if len(when.Values) == 0 {
		return parent{}, field.ErrorList{field.Required(path.Child("values"), "there must be a value with which the parameter exists")}
	}
	var errs field.ErrorList
	found := parent{index: index}
	for j, text := range when.Values {
		value, ok := axes[index].find(text)
		if !ok {
			errs = append(errs, field.Invalid(path.Child("values").Index(j), text, fmt.Sprintf("parameter %q never has this value", when.Parameter)))
		}
		found.values = append(found.values, value)
	}
	return found, errs
}

// exists says whether the parameter of that index exists at a point whose
// earlier values are set.
func (c *cube) exists(i int, p Values) bool {
	parent := c.parents[i]
	return parent.index < 0 || slices.Contains(parent.values, p[parent.index])
}
