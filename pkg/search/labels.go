// SPDX-License-Identifier: Apache-2.0

package search

import (
	"math"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// labels is the axis of a Choice.
type labels []string

func (p Parameter) labels(path *field.Path) (axis, field.ErrorList) {
	if len(p.Choices) == 0 {
		return nil, field.ErrorList{field.Required(path, "there must be a value to choose")}
	}
	var errs field.ErrorList
	for i, label := range p.Choices {
		switch {
		case label == "":
			errs = append(errs, field.Required(path.Index(i), "an empty value means that the parameter does not exist"))
		case slices.Contains(p.Choices[:i], label):
			errs = append(errs, field.Duplicate(path.Index(i), label))
		}
	}
	return labels(p.Choices), errs
}

func (l labels) size() int64                    { return int64(len(l)) }
func (l labels) at(index int64) Value           { return l[index] }
func (l labels) find(text string) (Value, bool) { return text, slices.Contains(l, text) }
func (l labels) place(u float64) int64          { return place(u, l.size()) }

func (l labels) coordinate(v Value) float64 {
	index := slices.Index(l, v)
	if index < 0 {
		return math.NaN()
	}
	return (float64(index) + 0.5) / float64(len(l))
}
