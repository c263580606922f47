// SPDX-License-Identifier: Apache-2.0

package result

import (
	"fmt"
	"strings"

	"windtunnel.dev/windtunnel/pkg/verdict"
)

// Judge is the verdict on all gates: Fail where one fails, Undecided where one is. Its message
// names the gate that decides, and stands in statuses too.
//
// A change from the baseline that was not exercised is undecided, whatever limits it keeps to.
func Judge(results []GateResult) verdict.Verdict {
	v := verdict.Verdict{Gates: make([]verdict.Gate, len(results))}
	for i, r := range results {
		v.Gates[i] = verdict.Gate{Name: r.Name, Outcome: r.Verdict, Message: r.Message}
	}
	unexercised := Unexercised(results)
	switch fails, open := sentenceOf(results, verdict.Fail), sentenceOf(results, verdict.Undecided); {
	case fails != "":
		v.Outcome, v.Reason, v.Message = verdict.Fail, verdict.GateFailed, fails
	case unexercised != "":
		v.Outcome, v.Reason, v.Message = verdict.Undecided, verdict.ChangeNotExercised, unexercised
	case open != "" && Doubted(results):
		v.Outcome, v.Reason, v.Message = verdict.Undecided, verdict.WithinModelError, open
	case open != "":
		v.Outcome, v.Reason, v.Message, v.Next = verdict.Undecided, verdict.TooFewSeeds, open, seedsThatDecide(results)
	case len(results) == 1:
		v.Outcome, v.Reason, v.Message = verdict.Pass, verdict.GatesPassed, "the gate passes"
	default:
		v.Outcome, v.Reason, v.Message = verdict.Pass, verdict.GatesPassed, fmt.Sprintf("all %d gates pass", len(results))
	}
	return v
}

// sentenceOf is about the first gate of an outcome, and names the others; "" without such a gate.
func sentenceOf(results []GateResult, o verdict.Outcome) string {
	var names []string
	text := ""
	for _, r := range results {
		if r.Verdict != o {
			continue
		}
		names = append(names, r.Name)
		if len(names) == 1 {
			text = fmt.Sprintf("gate %s: %s", r.Name, r.Sentence())
		}
	}
	if more := len(names) - 1; more > 0 {
		text += fmt.Sprintf("; %d more: %s", more, strings.Join(names[1:], ", "))
	}
	return text
}

// seedsThatDecide says how many seeds to try; "" where no number is known.
func seedsThatDecide(results []GateResult) string {
	most := 0
	for _, r := range results {
		most = max(most, r.SeedsToTry())
	}
	if most == 0 {
		return ""
	}
	return fmt.Sprintf("try about %d seeds (replications.count)", most)
}
