// SPDX-License-Identifier: Apache-2.0

package search

import "k8s.io/apimachinery/pkg/util/validation/field"

// axis is a parameter as a finite list of values, never held in full.
type axis interface {
	// size is the number of values, 1 or more.
	size() int64
	// at returns the value at an index below size.
	at(index int64) Value
	// find returns a value as the axis writes it, if it is on the axis.
	find(text string) (Value, bool)
	// place returns the index of the value in whose cell a coordinate in [0, 1]
	// lies. The cells are as wide as the scale says.
	place(u float64) int64
	// coordinate returns the centre of a value's cell, in [0, 1]; of a number
	// that is not on the axis, its place on the scale.
	coordinate(Value) float64
}

// axis returns the axis of a parameter, or everything that is wrong with it.
func (p Parameter) axis(path *field.Path) (axis, field.ErrorList) {
	if p.Kind == Choice {
		return p.labels(path.Child("values"))
	}
	if p.Kind == Evolved {
		return genomeAxis{p.Genome}, nil
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
