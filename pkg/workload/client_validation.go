// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"fmt"
	"math"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Bounds within which the arithmetic of arrivals holds: gaps are whole ns, and
// the shape of a Gamma process is the inverse square of its CV.
const (
	maxRatePerSecond = 1e9
	minCV, maxCV     = 0.001, 1000
	// maxStages of maxStage end before latest.
	maxStages = 64
	maxStage  = 8760 * time.Hour
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
	if c.ClosedLoop != nil {
		errs = append(errs, c.ClosedLoop.Validate(path.Child("closedLoop"))...)
	} else {
		errs = append(errs, c.Arrivals.Validate(path.Child("arrivals"))...)
	}
	errs = append(errs, c.Input.Validate(path.Child("inputTokens"))...)
	errs = append(errs, c.Output.Validate(path.Child("outputTokens"))...)
	prefix := path.Child("prefix")
	if c.PrefixTokens < 0 || c.PrefixTokens > MaxTokens {
		errs = append(errs, outOfRange(prefix.Child("tokens"), c.PrefixTokens, 0, MaxTokens))
	}
	if c.PrefixTokens > 0 && c.PrefixGroup == "" {
		errs = append(errs, field.Required(prefix.Child("group"), "a prefix belongs to a group"))
	}
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

// validateLoopOfSessions returns what does not fit between the sessions and the loop.
func (c Client) validateLoopOfSessions(path *field.Path) field.ErrorList {
	switch {
	case c.ClosedLoop != nil && !c.Sessions.AfterAnswer:
		return field.ErrorList{field.Forbidden(path.Child("sessions", "concurrent"), "in a closed loop each user has one session at a time")}
	case c.ClosedLoop == nil && c.Sessions.AfterAnswer && c.Sessions.ThinkTime == nil:
		return field.ErrorList{field.Required(path.Child("sessions", "thinkTime"), "turns that wait for an answer come a think time after it")}
	}
	return nil
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

// Validate returns the faults of the sessions.
func (s *Sessions) Validate(path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if s.AfterAnswer {
		if s.ThinkTime != nil {
			errs = append(errs, s.ThinkTime.Validate(path.Child("thinkTime"))...)
		}
	} else {
		errs = append(errs, s.Order.validate(path.Child("order"))...)
		if s.Concurrent < 1 || s.Concurrent > maxSessions {
			errs = append(errs, outOfRange(path.Child("concurrent"), s.Concurrent, 1, maxSessions))
		}
	}
	if s.MaxTokens < 0 || s.MaxTokens > MaxTokens {
		errs = append(errs, outOfRange(path.Child("maxTokens"), s.MaxTokens, 1, MaxTokens))
	}
	return append(errs, s.Turns.Validate(path.Child("turns"))...)
}

func (o Order) validate(path *field.Path) field.ErrorList {
	if o != Cycle && o != Random {
		return field.ErrorList{field.NotSupported(path, o, []Order{Cycle, Random})}
	}
	return nil
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
	if len(a.Stages) > 0 {
		return append(errs, a.validateStages(path)...)
	}
	if !(a.RatePerSecond > 0 && a.RatePerSecond <= maxRatePerSecond) {
		errs = append(errs, field.Invalid(path.Child("rate"), a.RatePerSecond,
			fmt.Sprintf("must be greater than 0 and at most %.0e requests a second", maxRatePerSecond)))
	}
	return errs
}

func (a Arrivals) validateStages(path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if a.RatePerSecond != 0 {
		errs = append(errs, field.Forbidden(path.Child("rate"), "stages have rates of their own"))
	}
	if len(a.Stages) > maxStages {
		errs = append(errs, field.TooMany(path.Child("stages"), len(a.Stages), maxStages))
	}
	busy := false
	for i, s := range a.Stages {
		at := path.Child("stages").Index(i)
		if !(s.RatePerSecond >= 0 && s.RatePerSecond <= maxRatePerSecond) {
			errs = append(errs, field.Invalid(at.Child("rate"), s.RatePerSecond,
				fmt.Sprintf("must be between 0 and %.0e requests a second", maxRatePerSecond)))
		}
		if s.Duration <= 0 || s.Duration > maxStage {
			errs = append(errs, field.Invalid(at.Child("duration"), s.Duration.String(), fmt.Sprintf("must be greater than 0 and at most %v", maxStage)))
		}
		busy = busy || s.RatePerSecond > 0
	}
	if !busy {
		errs = append(errs, field.Invalid(path.Child("stages"), len(a.Stages), "one of them must have a rate greater than 0"))
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
