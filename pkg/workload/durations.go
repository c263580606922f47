// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"math"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// Durations is a distribution of durations.
type Durations struct {
	// Distribution is in seconds; nil is always 0.
	Distribution stats.Distribution
	// Min and Max clamp each draw. Max 0 means one year.
	Min, Max time.Duration
}

// maxDuration bounds a duration of the workload.
const maxDuration = 8760 * time.Hour

// draw returns a duration, rounded to the nearest ns.
func (d Durations) draw(s *stats.Stream) time.Duration {
	if d.Distribution == nil {
		return d.Min
	}
	ns := math.Round(d.Distribution.Sample(s) * 1e9)
	if !(ns > float64(d.Min)) {
		return d.Min
	}
	if longest := d.maximum(); ns > float64(longest) {
		return longest
	}
	return time.Duration(ns)
}

// isConstant reports whether a duration is drawn of nothing.
func (d Durations) isConstant() bool {
	_, constant := d.Distribution.(stats.Constant)
	return constant || d.Distribution == nil
}

func (d Durations) maximum() time.Duration {
	if d.Max == 0 {
		return maxDuration
	}
	return d.Max
}

// Validate returns the faults of the durations, under the names that the API gives
// its fields.
func (d Durations) Validate(path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if d.Distribution != nil {
		if mean := d.Distribution.Expectation(); !(mean >= 0 && mean <= maxDuration.Seconds()) {
			errs = append(errs, field.Invalid(path.Child("mean"), mean, "must be between 0 s and 8760 h"))
		}
	}
	if d.Min < 0 || d.Min > maxDuration {
		errs = append(errs, field.Invalid(path.Child("min"), d.Min.String(), "must be between 0 s and 8760 h"))
	}
	if d.Max < 0 || d.Max > maxDuration {
		errs = append(errs, field.Invalid(path.Child("max"), d.Max.String(), "must be between 0 s and 8760 h"))
	} else if d.Max != 0 && d.Max < d.Min {
		errs = append(errs, field.Invalid(path.Child("max"), d.Max.String(), "must not be less than min"))
	}
	return errs
}
