// SPDX-License-Identifier: Apache-2.0

package page

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"windtunnel.dev/windtunnel/pkg/result"
)

// verdict is a judgement as a word, a shape and a class of the style: no reader depends on its
// colour.
type verdict struct{ Word, Sign, Class, Why string }

// verdictOf returns the words for a judgement; "" is that of a sweep without gates.
func verdictOf(j result.Judgement, why string) verdict {
	v := verdict{Why: why}
	switch j {
	case result.Pass:
		v.Word, v.Sign, v.Class = "May ship", "✔", "pass"
	case result.Fail:
		v.Word, v.Sign, v.Class = "Stopped", "✖", "fail"
	case result.Unknown:
		v.Word, v.Sign, v.Class = "Too little evidence", "?", "unknown"
	default:
		v.Word, v.Sign, v.Class = "Not judged", "–", "none"
	}
	return v
}

// undecided is the word where more evidence of the same kind would decide nothing.
const undecided = "Undecided"

// verdictOfGates are the words for the judgement of gates.
func verdictOfGates(j result.Judgement, why string, gates []result.GateResult) verdict {
	v := verdictOf(j, why)
	if j == result.Unknown && (result.Unexercised(gates) != "" || result.Doubted(gates)) {
		v.Word = undecided
	}
	return v
}

// gate is a row of the table of gates.
type gate struct {
	verdict
	Name, Message string
}

// gatesOf returns the rows of gates: those that stop the rollout first.
func gatesOf(results []result.GateResult) []gate {
	var all []gate
	for _, j := range []result.Judgement{result.Fail, result.Unknown, result.Pass, result.NotJudged} {
		for i := range results {
			if g := &results[i]; g.Verdict == j {
				row := gate{verdictOf(j, ""), g.Name, g.Message}
				row.Word = map[result.Judgement]string{
					result.Pass: "passes", result.Fail: "fails", result.Unknown: "too little evidence", result.NotJudged: "not judged",
				}[j]
				if j == result.Unknown && (g.Doubt != "" || g.Change != nil && g.Change.Unexercised != "") {
					row.Word = strings.ToLower(undecided)
				}
				all = append(all, row)
			}
		}
	}
	return all
}

// answersTo say what would change the verdict of the gates that do not pass.
func answersTo(results []result.GateResult) []string {
	var all []string
	for i := range results {
		g := &results[i]
		switch {
		case g.Doubt != "":
			all = append(all, fmt.Sprintf("Gate %s: %s.", g.Name, g.Doubt))
		case g.Verdict == result.Unknown && g.N < 2:
			all = append(all, fmt.Sprintf("Gate %s needs two seeds at least: raise spec.replications.count.", g.Name))
		case g.Verdict == result.Unknown:
			all = append(all, fmt.Sprintf("Gate %s has an interval on both sides of its limit after %d seeds: more seeds, or a limit further away, would decide it.", g.Name, g.N))
		case g.Verdict == result.Fail && g.Estimate != nil:
			all = append(all, fmt.Sprintf("Gate %s fails by its mean, not by chance: only another policy, more capacity or another limit would pass.", g.Name))
		}
	}
	return all
}

// sentence begins one in upper case, unless the name of a candidate begins it, such as weight=2.
func sentence(text string) string {
	if first, _, _ := strings.Cut(text, " "); strings.Contains(first, "=") {
		return strings.TrimSuffix(text, ".")
	}
	return upperFirst(text)
}

// upperFirst begins a sentence.
func upperFirst(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return strings.TrimSuffix(string(unicode.ToUpper(first))+text[size:], ".")
}
