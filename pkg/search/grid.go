// SPDX-License-Identifier: Apache-2.0

package search

import (
	"fmt"
	"math"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// newGrid proposes every point of a space once, in the order of nested loops:
// the last parameter changes fastest. There must not be more than MaxTrials, and
// every range needs a step.
func newGrid(p *problem) (Algorithm, field.ErrorList) {
	errs := p.stepless()
	if len(errs) > 0 {
		return nil, errs
	}
	const advice = "raise maxTrials, take larger steps, or use algorithm Random"
	most, at := p.Settings.MaxTrials, p.settings().Child("maxTrials")
	size := p.cube.size()
	count := fmt.Sprint(size)
	if size == math.MaxUint64 {
		count = extents(p.cube.axes)
	}
	if p.cube.plain() && size > uint64(most) {
		return nil, field.ErrorList{field.Invalid(at, most, fmt.Sprintf("the grid has %s points; %s", count, advice))}
	}
	points, all := p.cube.enumerate(most, maxVisits)
	if !all {
		return nil, field.ErrorList{field.Invalid(at, most, fmt.Sprintf(
			"the grid has %s combinations; after conditions and rules there are too many points, or too few to find by sampling; %s", count, advice))}
	}
	return newDesign(p, func() []Values { return points }), nil
}

// stepless reports ranges that a grid cannot go through.
func (p *problem) stepless() field.ErrorList {
	var errs field.ErrorList
	for i, q := range p.Space.Parameters {
		if (q.Kind == Continuous || q.Kind == Integer) && q.Step == "" {
			errs = append(errs, field.Required(p.path.Child("parameters").Index(i).Child("range", "step"),
				"a grid needs the distance of neighbouring values; or search at random"))
		}
	}
	return errs
}

// extents writes the sizes of axes as a product.
func extents(axes []axis) string {
	sizes := make([]string, len(axes))
	for i, a := range axes {
		sizes[i] = fmt.Sprint(a.size())
	}
	return strings.Join(sizes, " × ")
}
