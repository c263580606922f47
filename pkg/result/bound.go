// SPDX-License-Identifier: Apache-2.0

package result

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// quantity is a number with a unit or none.
var quantity = regexp.MustCompile(`^([-+]?[0-9]+(?:[.][0-9]+)?)(%|ns|us|ms|s|m|h)?$`)

// durationUnits are units of time in seconds.
var durationUnits = map[string]float64{"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1, "m": 60, "h": 3600}

// ParseBound reads a value of a measure of some unit and returns it in the base
// unit: a duration such as 500ms where that is seconds, a number or a percentage
// from 0 to 1 where it is a share, and a number elsewhere. Of derived metrics the
// unit is not known: they take all three.
func ParseBound(text string, u Unit, path *field.Path) (float64, field.ErrorList) {
	wrong := func(detail string) (float64, field.ErrorList) {
		return 0, field.ErrorList{field.Invalid(path, text, detail)}
	}
	parts := quantity.FindStringSubmatch(text)
	if parts == nil {
		return wrong("must be a number, a percentage such as 99%, or a duration such as 500ms")
	}
	value, err := strconv.ParseFloat(parts[1], 64)
	if err != nil {
		return wrong("is too large")
	}
	if value < 0 && u != Number && u != Ratio {
		return wrong("must not be negative: no value of the metric is below 0")
	}
	suffix := parts[2]
	_, duration := durationUnits[suffix]
	switch u {
	case Seconds:
		if !duration && value != 0 {
			return wrong("must be a duration with its unit, such as 500ms")
		}
	case Share, Index:
		if duration {
			return wrong("must be a share, such as 0.99 or 99%")
		}
		if value = inBaseUnit(value, suffix); value < 0 || value > 1 {
			return wrong("must be from 0 to 1, or from 0% to 100%")
		}
		return value, nil
	case Ratio, Number:
		if duration && u == Ratio {
			return wrong("must be a number or a percentage")
		}
	default:
		if suffix != "" {
			return wrong(fmt.Sprintf("must be a number without a unit: the metric's is %s", u))
		}
	}
	return inBaseUnit(value, suffix), nil
}

// inBaseUnit returns the number that is nearest to a decimal one in a unit.
func inBaseUnit(value float64, suffix string) float64 {
	switch suffix {
	case "%":
		return value / 100
	case "ns", "us", "ms":
		return value / (1 / durationUnits[suffix])
	case "":
		return value
	default:
		return value * durationUnits[suffix]
	}
}

// ParseChange reads a change in percent, such as -1%, as a share of what
// changes.
func ParseChange(text string, path *field.Path) (float64, field.ErrorList) {
	number, isPercentage := strings.CutSuffix(text, "%")
	if parts := quantity.FindStringSubmatch(text); isPercentage && parts != nil {
		if value, err := strconv.ParseFloat(number, 64); err == nil {
			return value / 100, nil
		}
	}
	return 0, field.ErrorList{field.Invalid(path, text, "must be a change in percent, such as -1% or 5%")}
}

// Text prints a value of the unit for people, with as many digits as it has.
func (u Unit) Text(value float64) string {
	d := u.Display()
	text := strconv.FormatFloat(value*d.Factor, 'g', 6, 64)
	if d.Suffix == "" {
		return text
	}
	return text + " " + d.Suffix
}
