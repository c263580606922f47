// SPDX-License-Identifier: Apache-2.0

package page

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/verdict"
)

// heading is an outcome and its reason at the top of a page.
type heading struct{ Word, Sign, Class, Why string }

// headingOf returns the heading for what came of gates.
func headingOf(o verdict.Outcome, why string) heading {
	return heading{Word: o.Title(), Sign: o.Sign(), Class: o.Class(), Why: why}
}

// gate is a row of the table of gates.
type gate struct {
	verdict.Outcome
	Name, Message string
}

// gatesOf returns the rows of gates: those that stop the rollout first.
func gatesOf(results []result.GateResult) []gate {
	var all []gate
	for _, o := range verdict.Outcomes {
		for i := range results {
			if g := &results[i]; g.Verdict == o {
				all = append(all, gate{o, g.Name, g.Message})
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
		case g.Verdict == verdict.Undecided && g.N < 2:
			all = append(all, fmt.Sprintf("Gate %s needs two seeds at least: raise spec.replications.count.", g.Name))
		case g.Verdict == verdict.Undecided:
			all = append(all, fmt.Sprintf("Gate %s has an interval on both sides of its limit after %d seeds: more seeds, or a limit further away, would decide it.", g.Name, g.N))
		case g.Verdict == verdict.Fail && g.Estimate != nil:
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
