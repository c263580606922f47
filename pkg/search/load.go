// SPDX-License-Identifier: Apache-2.0

package search

import (
	"cmp"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// capacity returns the settings with their defaults.
func (p *problem) capacity() CapacitySettings {
	c := p.Settings.Capacity
	c.Precision = cmp.Or(c.Precision, 0.02)
	c.MaxSeeds = cmp.Or(c.MaxSeeds, 4*p.Seeds)
	return c
}

// load returns the index of the load among the parameters, -1 if it is none.
func (p *problem) load() int {
	return p.Space.index(p.Settings.Capacity.Load)
}

// checkCapacity returns what is wrong with the settings and the load.
func (p *problem) checkCapacity() field.ErrorList {
	var errs field.ErrorList
	settings, path := p.capacity(), p.settings().Child("capacity")
	if settings.Precision < 0 {
		errs = append(errs, field.Invalid(path.Child("precision"), settings.Precision, "must not be negative"))
	}
	if settings.MaxSeeds < p.Seeds {
		errs = append(errs, field.Invalid(path.Child("maxSeeds"), settings.MaxSeeds, fmt.Sprintf("must not be less than the %d seeds of a full trial", p.Seeds)))
	}
	index := p.load()
	switch {
	case settings.Load == "":
		return append(errs, field.Required(path.Child("load"), "must name the parameter to maximise"))
	case index < 0:
		return append(errs, field.NotFound(path.Child("load"), settings.Load))
	}
	return append(errs, p.checkLoad(index, path.Child("load"))...)
}

// checkLoad returns what keeps a parameter from being a load: it must be a
// number above 0, and nothing else may depend on it.
func (p *problem) checkLoad(index int, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	load := p.Space.Parameters[index]
	switch {
	case load.Kind == Choice:
		errs = append(errs, field.Invalid(path, load.Name, "must be a number"))
	case load.When != nil:
		errs = append(errs, field.Invalid(path, load.Name, "must exist everywhere, and has a condition"))
	case numberOf(p.cube.axes[index].at(0)) <= 0:
		errs = append(errs, field.Invalid(p.path.Child("parameters").Index(index).Child("range", "min"), load.Min, "must be greater than 0, since loads are compared by their ratio"))
	}
	const tied = "must not depend on the load, which takes many values with each candidate"
	for i, parent := range p.cube.parents {
		if parent.index == index {
			errs = append(errs, field.Forbidden(p.path.Child("parameters").Index(i).Child("when"), tied))
		}
	}
	for i, rule := range p.cube.rules {
		if slices.Contains(rule.uses, index) {
			errs = append(errs, field.Forbidden(p.path.Child("rules").Index(i).Child("expression"), tied))
		}
	}
	return errs
}

// candidates returns every combination of the other parameters, with an empty
// load, and then that of the baseline.
func (p *problem) candidates(load int) ([]Values, field.ErrorList) {
	others := *p
	others.Settings.Generation = 0
	others.Space.Parameters = slices.Clone(p.Space.Parameters)
	least := &others.Space.Parameters[load]
	least.Kind, least.Max, least.Step = Stepped, least.Min, "1"
	var errs field.ErrorList
	if others.cube, errs = others.Space.cube(p.path); len(errs) > 0 {
		return nil, errs
	}
	grid, errs := newGrid(&others)
	if len(errs) > 0 {
		return nil, errs
	}
	var points []Values
	for _, proposal := range grid.Ask() {
		points = append(points, proposal.Point.with(load, ""))
	}
	if p.Baseline != nil {
		baseline := p.Baseline.with(load, "")
		if !slices.ContainsFunc(points, func(q Values) bool { return slices.Equal(q, baseline) }) {
			points = append(points, baseline)
		}
	}
	return points, nil
}
