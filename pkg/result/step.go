// SPDX-License-Identifier: Apache-2.0

package result

import (
	"fmt"
	"slices"

	"windtunnel.dev/windtunnel/pkg/verdict"
)

// Step is a step of a rollout and what came of the gates at it.
type Step struct {
	// Percent is the share of the traffic that the backend has.
	Percent int `json:"percent"`
	// Point is the step as a point of the sweep.
	Point   int             `json:"point"`
	Verdict verdict.Outcome `json:"verdict"`
	Reason  verdict.Reason  `json:"reason"`
	Message string          `json:"message"`
	Gates   []GateResult    `json:"gates"`
}

// NewStep judges a step by the results of its gates.
func NewStep(percent, point int, gates []GateResult) Step {
	v := Judge(gates)
	return Step{Percent: percent, Point: point, Verdict: v.Outcome, Reason: v.Reason, Message: v.Message, Gates: gates}
}

// Deciding is the step that decides a rollout: the first that fails, or else the first that is undecided, or
// else the last.
func Deciding(steps []Step) *Step {
	for _, outcome := range []verdict.Outcome{verdict.Fail, verdict.Undecided} {
		if at := slices.IndexFunc(steps, func(s Step) bool { return s.Verdict == outcome }); at >= 0 {
			return &steps[at]
		}
	}
	return &steps[len(steps)-1]
}

// JudgeSteps is the verdict on a rollout: it fails where a step does, and passes where all do. Its gates are
// those of the step that decides.
func JudgeSteps(steps []Step) verdict.Verdict {
	at := Deciding(steps)
	v := Judge(at.Gates)
	switch {
	case v.Outcome == verdict.Pass && len(steps) == 1:
		v.Message = fmt.Sprintf("the step to %d %% passes: %s", at.Percent, v.Message)
	case v.Outcome == verdict.Pass:
		v.Message = fmt.Sprintf("%d steps to %d %% pass: at each, %s", len(steps), at.Percent, v.Message)
	case v.Outcome == verdict.Fail:
		v.Message = fmt.Sprintf("stopped at %d %%: %s; %s", at.Percent, v.Message, safe(steps))
	default:
		v.Message = fmt.Sprintf("undecided at %d %%: %s; %s", at.Percent, v.Message, safe(steps))
	}
	return v
}

// Safe is the highest share to which all steps pass, in percent; 0 where the first does not.
func Safe(steps []Step) int {
	percent := 0
	for _, s := range steps {
		if s.Verdict != verdict.Pass {
			break
		}
		percent = s.Percent
	}
	return percent
}

// safe says in words how far steps pass, and of an undecided step that others follow.
func safe(steps []Step) string {
	percent := Safe(steps)
	text := "no step is safe"
	if percent > 0 {
		text = fmt.Sprintf("%d %% is safe", percent)
	}
	next := slices.IndexFunc(steps, func(s Step) bool { return s.Verdict != verdict.Pass })
	if &steps[next] != Deciding(steps) {
		text += fmt.Sprintf(", and %d %% is undecided", steps[next].Percent)
	}
	return text
}
