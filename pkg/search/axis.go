// SPDX-License-Identifier: Apache-2.0

package search

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// axis is a parameter as a finite list of values, never held in full.
type axis interface {
	// size is the number of values, 1 or more.
	size() int64
	// at returns the value at an index below size.
	at(index int64) Value
	// draw returns the index of a random value.
	draw(*stats.Stream) int64
}

// axis returns the axis of a parameter, or everything that is wrong with it.
func (p Parameter) axis(path *field.Path) (axis, field.ErrorList) {
	if p.Kind == Choice {
		return p.labels(path.Child("values"))
	}
	path = path.Child("range")
	r, errs := p.parseRange(path)
	if len(errs) > 0 {
		return nil, errs
	}
	if p.Kind == Continuous && p.LogScale {
		return newDigitsAxis(r, path)
	}
	return newStepAxis(r, path)
}

// labels is the axis of a Choice.
type labels []string

func (p Parameter) labels(path *field.Path) (axis, field.ErrorList) {
	if len(p.Choices) == 0 {
		return nil, field.ErrorList{field.Required(path, "there must be a value to choose")}
	}
	var errs field.ErrorList
	for i, label := range p.Choices {
		if slices.Contains(p.Choices[:i], label) {
			errs = append(errs, field.Duplicate(path.Index(i), label))
		}
	}
	return labels(p.Choices), errs
}

func (l labels) size() int64                { return int64(len(l)) }
func (l labels) at(index int64) Value       { return l[index] }
func (l labels) draw(s *stats.Stream) int64 { return int64(s.IntN(len(l))) }
