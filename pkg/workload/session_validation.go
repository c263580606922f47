// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

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
	errs = append(errs, s.Turns.Validate(path.Child("turns"))...)
	errs = append(errs, s.validateContext(path)...)
	errs = append(errs, s.validateAgents(path)...)
	return append(errs, s.validateEvolution(path)...)
}

// validateContext returns the faults of what becomes of earlier turns.
func (s *Sessions) validateContext(path *field.Path) field.ErrorList {
	var errs field.ErrorList
	switch s.Context {
	case Accumulate, Independent:
	case Window:
		if s.MaxTokens == 0 {
			errs = append(errs, field.Required(path.Child("maxTokens"), "context Window keeps the turns that fit into it"))
		}
	case Condense:
		return s.validateCondense(path.Child("condense"))
	default:
		errs = append(errs, field.NotSupported(path.Child("context"), s.Context, []Context{Accumulate, Independent, Window, Condense}))
	}
	if s.CondenseEvery != 0 {
		errs = append(errs, field.Forbidden(path.Child("condense"), "context is not Condense"))
	}
	return errs
}

func (s *Sessions) validateCondense(path *field.Path) field.ErrorList {
	if s.CondenseEvery == 0 {
		return field.ErrorList{field.Required(path, "context is Condense")}
	}
	var errs field.ErrorList
	if s.CondenseEvery < 1 || s.CondenseEvery > MaxTokens {
		errs = append(errs, outOfRange(path.Child("every"), s.CondenseEvery, 1, MaxTokens))
	}
	if !(s.CondenseExponent > 0 && s.CondenseExponent < 1) {
		errs = append(errs, field.Invalid(path.Child("exponent"), s.CondenseExponent, "must be greater than 0 and less than 1"))
	}
	return errs
}

// Bounds of how a session evolves.
const maxPromptGrowth, maxAnswerVariation = 10, 10

// validateEvolution returns the faults of what changes from turn to turn.
func (s *Sessions) validateEvolution(path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if !(s.PromptGrowth >= 0 && s.PromptGrowth <= maxPromptGrowth) {
		errs = append(errs, field.Invalid(path.Child("promptGrowth"), s.PromptGrowth, fmt.Sprintf("must be greater than 0 and at most %d", maxPromptGrowth)))
	}
	if !(s.AnswerVariation >= 0 && s.AnswerVariation <= maxAnswerVariation) {
		errs = append(errs, field.Invalid(path.Child("answerVariation"), s.AnswerVariation, fmt.Sprintf("must be between 0 and %d", maxAnswerVariation)))
	}
	return errs
}

// validateAgents returns the faults of tools and branches.
func (s *Sessions) validateAgents(path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, f := range []struct {
		name     string
		set      bool
		validate func(*field.Path) field.ErrorList
	}{{"tools", s.Tools != nil, s.Tools.Validate}, {"branches", s.Branches != nil, s.Branches.Validate}} {
		at := path.Child(f.name)
		switch {
		case !f.set:
		case !s.AfterAnswer:
			errs = append(errs, field.Forbidden(at, "turns do not wait for answers: set thinkTime in place of concurrent"))
		case s.Context == Independent:
			errs = append(errs, field.Forbidden(at, "results and answers join the context, and context is Independent"))
		default:
			errs = append(errs, f.validate(at)...)
		}
	}
	return errs
}
