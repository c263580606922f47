// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"fmt"
	"math"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// ValidateClients returns what NewClients would not take: faults of single
// clients, under path[index], and names that occur twice.
func ValidateClients(clients []Client, path *field.Path) field.ErrorList {
	if len(clients) == 0 {
		return field.ErrorList{field.Required(path, "at least one client")}
	}
	errs := ValidateNames(clients, path)
	for i, c := range clients {
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
	if c.ClosedLoop != nil {
		errs = append(errs, c.ClosedLoop.Validate(path.Child("closedLoop"))...)
	} else {
		errs = append(errs, c.Arrivals.Validate(path.Child("arrivals"))...)
		errs = append(errs, c.validateBurstSizes(path.Child("arrivals", "sizeCorrelation"))...)
	}
	errs = append(errs, c.validateCopies(path.Child("copies"))...)
	if !(c.LengthCV >= 0 && c.LengthCV <= maxLengthCV) {
		errs = append(errs, field.Invalid(path.Child("copies", "lengthCV"), c.LengthCV, fmt.Sprintf("must be between 0 and %d", maxLengthCV)))
	}
	errs = append(errs, c.Input.Validate(path.Child("inputTokens"))...)
	errs = append(errs, c.Output.Validate(path.Child("outputTokens"))...)
	prefix := path.Child("prefix")
	if c.PrefixTokens < 0 || c.PrefixTokens > MaxTokens {
		errs = append(errs, outOfRange(prefix.Child("tokens"), c.PrefixTokens, 0, MaxTokens))
	}
	if c.PrefixGroup == "" && (c.PrefixTokens > 0 || c.PrefixGroups != nil || c.Examples != nil) {
		errs = append(errs, field.Required(prefix.Child("group"), "a prefix belongs to a group"))
	}
	if c.PrefixGroups != nil {
		errs = append(errs, c.PrefixGroups.Validate(prefix.Child("groups"))...)
	}
	if c.Examples != nil {
		errs = append(errs, c.Examples.Validate(prefix.Child("examples"))...)
	}
	if c.Reasoning != nil {
		errs = append(errs, c.Reasoning.Validate(path.Child("reasoning"))...)
	}
	errs = append(errs, c.validateMedia(path.Child("media"))...)
	if c.Prompts != nil {
		errs = append(errs, c.Prompts.Validate(path.Child("prompts"))...)
	}
	if c.Sessions != nil {
		errs = append(errs, c.Sessions.Validate(path.Child("sessions"))...)
		errs = append(errs, c.validateLoopOfSessions(path)...)
	}
	if c.Prompts != nil && c.Sessions != nil {
		errs = append(errs, field.Forbidden(path.Child("prompts"), "a conversation does not repeat itself"))
	}
	return errs
}

func (c Client) validateMedia(path *field.Path) field.ErrorList {
	if len(c.Media) > 0 && c.Prompts != nil {
		return field.ErrorList{field.Forbidden(path, "prompts are fixed, and media are drawn for each request")}
	}
	var errs field.ErrorList
	kinds := map[string]bool{}
	for i := range c.Media {
		m := &c.Media[i]
		if kinds[m.Kind] {
			errs = append(errs, field.Duplicate(path.Index(i).Child("kind"), m.Kind))
		}
		kinds[m.Kind] = true
		errs = append(errs, m.Validate(path.Index(i))...)
	}
	return errs
}

// Bounds of what a client has several of.
const maxPrompts, maxSessions = 1_000_000, 100_000

// Validate returns the faults of the prompts.
func (p *Prompts) Validate(path *field.Path) field.ErrorList {
	errs := p.Order.validate(path.Child("order"))
	if p.Count < 1 || p.Count > maxPrompts {
		errs = append(errs, outOfRange(path.Child("count"), p.Count, 1, maxPrompts))
	}
	return errs
}

func (o Order) validate(path *field.Path) field.ErrorList {
	if o != Cycle && o != Random {
		return field.ErrorList{field.NotSupported(path, o, []Order{Cycle, Random})}
	}
	return nil
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
		errs = append(errs, outOfRange(path.Child("min"), l.Min, 1, MaxTokens))
	}
	switch {
	case l.Max < 0 || l.Max > MaxTokens:
		errs = append(errs, outOfRange(path.Child("max"), l.Max, 1, MaxTokens))
	case l.Max != 0 && l.Max < l.Min:
		errs = append(errs, field.Invalid(path.Child("max"), l.Max,
			fmt.Sprintf("must not be less than min (%d)", l.Min)))
	}
	return errs
}

func outOfRange(path *field.Path, value, least, greatest int) *field.Error {
	return field.Invalid(path, value, fmt.Sprintf("must be between %d and %d", least, greatest))
}
