// SPDX-License-Identifier: Apache-2.0

package verdict

import "strings"

// Verdict says how an object stands. It is made from a status of a cluster or from rows at hand,
// and whatever prints a verdict prints this one.
type Verdict struct {
	// Outcome is what came of all gates.
	Outcome Outcome
	Reason  Reason
	// Message says why, in a sentence without a full stop.
	Message string
	Gates   []Gate
	// Best and Baseline are points of a sweep; nil of a run.
	Best, Baseline *PointSummary
	// Next says what to do next; "" where the message does.
	Next string
}

// Gate is a gate and what came of it.
type Gate struct {
	Name    string
	Outcome Outcome
	Message string
}

// PointSummary is a point of a sweep.
type PointSummary struct {
	ID int64
	// Name has the values of its parameters, such as weight=2.
	Name string
	// Figures are its objectives, with their intervals.
	Figures string
}

// Reason tells verdicts of the same outcome apart. Its values are the reasons of condition Passed.
type Reason string

// The reasons.
const (
	GatesPassed Reason = "GatesPassed"
	GateFailed  Reason = "GateFailed"
	// BaselineIsBest is that of a fail: no point ranks before the baseline, so there is nothing to
	// roll out.
	BaselineIsBest Reason = "BaselineIsBest"
	// TooFewSeeds is that of gates that more seeds would decide.
	TooFewSeeds Reason = "Undecided"
	// ChangeNotExercised says that no simulation exercised what is judged, and WithinModelError
	// that the error of the model could turn the verdict: more seeds decide neither.
	ChangeNotExercised Reason = "ChangeNotExercised"
	WithinModelError   Reason = "WithinModelError"
	// NoGates is that of an object without gates, which has no condition Passed.
	NoGates Reason = "NoGates"
)

// Ungated is the verdict on an object without gates.
func Ungated() *Verdict {
	return &Verdict{Outcome: NotJudged, Reason: NoGates, Message: "no gates are stated"}
}

// Sentence is the outcome with its reason, such as "pass: all 2 gates pass".
func (v *Verdict) Sentence() string { return v.Outcome.Word() + ": " + v.Message }

// Advice is the sentence, with what to do next.
func (v *Verdict) Advice() string { return strings.TrimSuffix(v.Sentence()+"; "+v.Next, "; ") }
