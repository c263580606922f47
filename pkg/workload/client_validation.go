// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"fmt"
	"math"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Bounds within which the arithmetic of arrivals holds: gaps are whole ns, and
// the shape of a Gamma process is the inverse square of its CV.
const (
	maxRatePerSecond = 1e9
	minCV, maxCV     = 0.001, 1000
)

// ValidateClients returns what NewClients would not take: faults of single
// clients, under path[index], and names that occur twice.
func ValidateClients(clients []Client, path *field.Path) field.ErrorList {
	if len(clients) == 0 {
		return field.ErrorList{field.Required(path, "at least one client")}
	}
	var errs field.ErrorList
	names := map[string]bool{}
	for i, c := range clients {
		if names[c.Name] {
			errs = append(errs, field.Duplicate(path.Index(i).Child("name"), c.Name))
		}
		names[c.Name] = true
		errs = append(errs, c.Validate(path.Index(i))...)
	}
	return errs
}

// Validate returns the client's faults, under the names that the API gives
// its fields.
func (c Client) Validate(path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if c.Name == "" {
		errs = append(errs, field.Required(path.Child("name"), "it names the client's random streams"))
	}
	errs = append(errs, c.Arrivals.Validate(path.Child("arrivals"))...)
	errs = append(errs, c.Input.Validate(path.Child("inputTokens"))...)
	errs = append(errs, c.Output.Validate(path.Child("outputTokens"))...)
	prefix := path.Child("prefix")
	if c.PrefixTokens < 0 || c.PrefixTokens > MaxTokens {
		errs = append(errs, outside(prefix.Child("tokens"), c.PrefixTokens, 0, MaxTokens))
	}
	if c.PrefixTokens > 0 && c.PrefixGroup == "" {
		errs = append(errs, field.Required(prefix.Child("group"), "a prefix belongs to a group"))
	}
	return errs
}

// Validate returns the faults of the arrivals.
func (a Arrivals) Validate(path *field.Path) field.ErrorList {
	var errs field.ErrorList
	switch a.Process {
	case Poisson, Constant:
	case Gamma:
		if !(a.CV >= minCV && a.CV <= maxCV) {
			errs = append(errs, field.Invalid(path.Child("cv"), a.CV,
				fmt.Sprintf("must be between %v and %v", minCV, maxCV)))
		}
	default:
		errs = append(errs, field.NotSupported(path.Child("process"), a.Process,
			[]ArrivalProcess{Poisson, Constant, Gamma}))
	}
	if !(a.RatePerSecond > 0 && a.RatePerSecond <= maxRatePerSecond) {
		errs = append(errs, field.Invalid(path.Child("rate"), a.RatePerSecond,
			fmt.Sprintf("must be greater than 0 and at most %.0e requests a second", maxRatePerSecond)))
	}
	return errs
}

// Validate returns the faults of the lengths.
func (l Lengths) Validate(path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if l.Distribution == nil {
		errs = append(errs, field.Required(path.Child("distribution"), ""))
	} else if mean := l.Distribution.Expectation(); math.IsNaN(mean) || math.IsInf(mean, 0) {
		errs = append(errs, field.Invalid(path.Child("mean"), mean, "must be finite"))
	}
	if l.Min < 1 || l.Min > MaxTokens {
		errs = append(errs, outside(path.Child("min"), l.Min, 1, MaxTokens))
	}
	switch {
	case l.Max < 0 || l.Max > MaxTokens:
		errs = append(errs, outside(path.Child("max"), l.Max, 1, MaxTokens))
	case l.Max != 0 && l.Max < l.Min:
		errs = append(errs, field.Invalid(path.Child("max"), l.Max,
			fmt.Sprintf("must not be less than min (%d)", l.Min)))
	}
	return errs
}

func outside(path *field.Path, value, least, greatest int) *field.Error {
	return field.Invalid(path, value, fmt.Sprintf("must be between %d and %d", least, greatest))
}
