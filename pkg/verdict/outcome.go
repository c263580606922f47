// SPDX-License-Identifier: Apache-2.0

package verdict

// Outcome is what came of a gate, or of all gates of an object. The zero value is that of an
// object without gates, or without results, and prints as NotJudged does.
type Outcome string

// The outcomes, by their names in statuses and in the JSON of results.
const (
	// Pass says that the claim holds, with the gate's confidence.
	Pass Outcome = "Pass"
	// Fail says that it does not, with the same confidence.
	Fail Outcome = "Fail"
	// Undecided says that the evidence is not enough. Its name is that of the status of a
	// condition.
	Undecided Outcome = "Unknown"
	// NotJudged says that the claim compares the baseline with itself, or that there is no claim.
	NotJudged Outcome = "NotJudged"
)

// Outcomes are all outcomes: what stops a rollout comes first.
var Outcomes = []Outcome{Fail, Undecided, NotJudged, Pass}

// form is how an outcome is printed.
type form struct {
	word, title, verb, sign, class string
	exit                           int
}

var (
	forms = map[Outcome]form{
		Pass:      {word: "pass", title: "Pass", verb: "passes", sign: "✔", class: "pass"},
		Fail:      {word: "fail", title: "Fail", verb: "fails", sign: "✖", class: "fail", exit: 1},
		Undecided: {word: "undecided", title: "Undecided", verb: "is undecided", sign: "?", class: "unknown", exit: 3},
		NotJudged: notJudged,
	}
	notJudged = form{word: "not judged", title: "Not judged", verb: "is not judged", sign: "–", class: "none"}
)

func (o Outcome) form() form {
	if f, ok := forms[o]; ok {
		return f
	}
	return notJudged
}

// Word is the outcome in a word, such as undecided.
func (o Outcome) Word() string { return o.form().word }

// Title is the word in a heading.
func (o Outcome) Title() string { return o.form().title }

// Verb is the outcome after the name of a gate or an object, such as "is undecided".
func (o Outcome) Verb() string { return o.form().verb }

// Sign is the outcome as a shape: no reader depends on its colour.
func (o Outcome) Sign() string { return o.form().sign }

// Class is the outcome's class in the style of pages.
func (o Outcome) Class() string { return o.form().class }

// ExitCode is that of a command that ends with the outcome. 2 is left to bad input.
func (o Outcome) ExitCode() int { return o.form().exit }

// OfCondition is the outcome that a status of condition Passed stands for.
func OfCondition(status string) Outcome {
	switch status {
	case "True":
		return Pass
	case "False":
		return Fail
	default:
		return Undecided
	}
}
