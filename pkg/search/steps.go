// SPDX-License-Identifier: Apache-2.0

package search

import (
	"math"
	"math/big"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// stepAxis holds min, min+step, … up to max, in exact arithmetic: floats would
// name the third tenth 0.30000000000000004.
type stepAxis struct {
	first, stride *big.Int // min and step in units of 10^-scale
	scale         int
	count         int64

	min, step float64     // nearly, to place a number of the scale
	log       *logUniform // nil where all steps are equally likely
}

func newStepAxis(r numberRange, path *field.Path) (axis, field.ErrorList) {
	scale := max(r.min.scale, r.max.scale, r.step.scale)
	a := &stepAxis{first: r.min.digitsAt(scale), stride: r.step.digitsAt(scale), scale: scale}
	width := new(big.Int).Sub(r.max.digitsAt(scale), a.first)
	steps := width.Quo(width, a.stride)
	if !steps.IsInt64() || steps.Int64() == math.MaxInt64 {
		return nil, field.ErrorList{field.Invalid(path.Child("step"), r.step.String(), "makes more values than can be numbered; take a larger one")}
	}
	a.count = steps.Int64() + 1
	if r.logScale {
		a.log, a.min, a.step = newLogUniform(r), r.min.float(), r.step.float()
	}
	return a, nil
}

func (a *stepAxis) size() int64 { return a.count }

func (a *stepAxis) at(index int64) Value {
	offset := new(big.Int).Mul(a.stride, big.NewInt(index))
	return decimal{offset.Add(offset, a.first), a.scale}.String()
}

// draw takes the step nearest to a number of the scale.
func (a *stepAxis) draw(s *stats.Stream) int64 {
	if a.log == nil {
		return int64(s.IntN(int(a.count)))
	}
	nearest := math.Floor((a.log.draw(s)-a.min)/a.step + 0.5)
	if nearest >= float64(a.count) {
		return a.count - 1
	}
	return min(int64(math.Max(nearest, 0)), a.count-1)
}
