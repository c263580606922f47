// SPDX-License-Identifier: Apache-2.0

package profile

import (
	"slices"
	"time"
)

// guideLLMBound is a bound of a benchmark by one of its names.
type guideLLMBound struct {
	name string
	// unit is the unit of a duration in s; 0 says that the bound is a number of requests.
	unit float64
}

// guideLLMNames are the names that versions of guidellm give to two bounds.
var guideLLMNames = []guideLLMBound{
	{"max_requests", 0}, {"max_number", 0}, {"max_num", 0}, {"max_req", 0},
	{"max_duration", 1}, {"max_dur", 1}, {"max_seconds", 1}, {"max_sec", 1}, {"max_minutes", 60}, {"max_min", 60},
}

// guideLLMConstraints takes over when a benchmark ends: from a list of constraints, or from
// an object with one by each name.
func (c *converter) guideLLMConstraints(in *object) {
	if _, ok := in.fields["constraints"].(map[string]any); ok {
		bounds := in.child("constraints")
		c.guideLLMBounds(bounds)
		bounds.done()
		return
	}
	in.demand("state max_requests or max_duration: without one, a benchmark has no end", "constraints")
	var kinds []string
	for _, b := range guideLLMNames {
		kinds = append(kinds, b.name)
	}
	for _, constraint := range in.children("constraints") {
		kind := constraint.word("kind", "", kinds...)
		at := slices.IndexFunc(guideLLMNames, func(b guideLLMBound) bool { return b.name == kind })
		if at < 0 {
			constraint.demand("", "kind")
			constraint.ignore("count", "seconds")
		} else {
			c.guideLLMConstraint(constraint, guideLLMNames[at])
		}
		constraint.ignore("stopping_scope")
		constraint.done()
	}
}

// guideLLMConstraint takes over one constraint of a list, whose value has the name of a
// unit, or one of the names of the bound.
func (c *converter) guideLLMConstraint(in *object, kind guideLLMBound) {
	value := guideLLMBound{"count", 0}
	if kind.unit > 0 {
		value = guideLLMBound{"seconds", 1}
	}
	for _, b := range guideLLMNames {
		if (b.unit == 0) == (kind.unit == 0) && in.has(b.name) && !in.has(value.name) {
			value = b
		}
	}
	if in.demand("", value.name) {
		c.guideLLMEnd(in, value)
	}
}

// guideLLMBounds takes over the bounds among the fields of an object, and reports whether
// there are some.
func (c *converter) guideLLMBounds(in *object) bool {
	found := false
	for _, b := range guideLLMNames {
		if in.ignore(b.name); in.has(b.name) {
			c.guideLLMEnd(in, b)
			found = true
		}
	}
	return found
}

// guideLLMEnd takes over one bound.
func (c *converter) guideLLMEnd(in *object, b guideLLMBound) {
	h := &c.traffic.Horizon
	const twice = "another constraint bounds the same"
	switch {
	case b.unit == 0 && h.Requests != nil, b.unit > 0 && h.Duration != "":
		in.refuse(twice, b.name)
	case b.unit == 0:
		c.endsAfter(in.whole(b.name, 1, 1, 1e9))
	default:
		h.Duration = spanPositive(seconds(in, b.name, b.unit))
	}
}

func (c *converter) endsAfter(requests int64) { c.traffic.Horizon.Requests = &requests }

// seconds reads a duration such as 2m, or a number of a unit.
func seconds(in *object, name string, unit float64) float64 {
	if text, ok := in.fields[name].(string); ok {
		if d, err := time.ParseDuration(text); err == nil && d > 0 {
			in.ignore(name)
			return d.Seconds()
		}
	}
	return float64(unit * in.number(name, 1, 1e-9, maxYear/unit))
}
