// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"strings"

	"windtunnel.dev/windtunnel/pkg/result"
)

// bracketText prints the bracket, such as 103.7–113.1.
func bracketText(c *result.Capacity) string {
	switch {
	case c == nil:
		return ""
	case c.Holds == "":
		return "< " + factorText(c, c.Breaks) + bracketMark(c)
	case c.Breaks == "":
		return "≥ " + factorText(c, c.Holds) + bracketMark(c)
	case !isFactor(c):
		return c.Holds + " – " + c.Breaks + bracketMark(c)
	default:
		return fmt.Sprintf("%s – %s (%s – %s)", c.Holds, c.Breaks, strings.TrimSuffix(rateText(c, c.Holds), rateUnit), rateText(c, c.Breaks)) + bracketMark(c)
	}
}

// bracketMark tells brackets that are not what they seem.
func bracketMark(c *result.Capacity) string {
	text := ""
	if c.Undecided {
		text += " ?"
	}
	if c.Open {
		text += " …"
	}
	if len(c.Against) > 0 {
		text += " !"
	}
	return text
}

// bestCapacity says in one sentence what load the first candidate bears.
func (l board) bestCapacity(load string) string {
	best := &l.Candidates[0]
	subject := "The scenario"
	if of := otherParameters(&best.Entry, load); of != "" {
		subject = "The best, " + of + ","
	}
	if equal := l.equalCapacities(load); len(equal) > 1 {
		subject = "No candidate is the best: each of " + firstNames(equal)
	}
	c := best.Capacity
	switch {
	case c == nil || c.Holds == "":
		return "No candidate was shown to hold any " + load + " that was tried."
	case c.Breaks == "":
		return fmt.Sprintf("%s holds a %s of %s, the greatest that was tried.", subject, load, loadText(c, c.Holds))
	case c.Undecided:
		return fmt.Sprintf("%s holds a %s of %s; whether it holds %s is undecided.", subject, load, loadText(c, c.Holds), loadText(c, c.Breaks))
	default:
		return fmt.Sprintf("%s holds a %s of %s, and does not hold %s.", subject, load, loadText(c, c.Holds), loadText(c, c.Breaks))
	}
}

// equalCapacities name the candidates that rank first with the bracket of the first one.
func (l board) equalCapacities(load string) (names []string) {
	best := &l.Candidates[0]
	for i := range l.Candidates {
		c := &l.Candidates[i]
		if c.Rank == best.Rank && c.Capacity != nil && bracketText(c.Capacity) == bracketText(best.Capacity) {
			names = append(names, otherParameters(&c.Entry, load))
		}
	}
	return names
}

// SearchesCapacity reports whether the sweep searches for the load that candidates bear: what it
// found is its verdict, with gates or without.
func (r *Sweep) SearchesCapacity() bool {
	load, _ := r.board().load()
	return load != ""
}

// load returns the name of the load whose capacity is searched for, and the texts of
// all brackets; both are empty in any other search.
func (l board) load() (name, brackets string) {
	for i := range l.Candidates {
		if c := l.Candidates[i].Capacity; c != nil {
			name = c.Load
			brackets += bracketText(c)
		}
	}
	return name, brackets
}

// capacityFacts name the capacity of the best candidate.
func (l board) capacityFacts() []string {
	load, _ := l.load()
	if load == "" || len(l.Objectives) == 0 {
		return nil
	}
	facts := l.sizingFacts()
	if l.demand() == nil {
		facts = []string{l.bestCapacity(load)}
	}
	if len(l.Candidates) > curvesListed {
		facts = append(facts, fmt.Sprintf("The table of tried loads lists the first %d candidates; -o json lists all.", curvesListed))
	}
	return facts
}

// capacityLegend explains the column of capacities.
func (l board) capacityLegend() []string {
	load, texts := l.load()
	if load == "" {
		return nil
	}
	notes := l.sizingLegend(load)
	if notes == nil {
		notes = []string{"Candidates are ranked by capacity: the highest " + load + " at which all constraints were shown to hold, and the lowest at which they were not. Figures are those at the highest."}
	}
	for _, mark := range []struct{ sign, words string }{
		{"≥", l.openLegend()},
		{"<", "< means that the constraints were not shown to hold at the lowest load of the range."},
		{"?", "? means that the constraints were not shown to break there either; more seeds may decide it."},
		{"…", "… means that maxTrials ended the search before the bracket was narrow."},
		{"!", "! means that the opposite holds at some load beyond the bracket: more load is not always worse."},
	} {
		if strings.Contains(texts, mark.sign) {
			notes = append(notes, mark.words)
		}
	}
	return notes
}

// openLegend explains a capacity without an upper end.
func (l board) openLegend() string {
	if l.demand() != nil {
		return "≥ means that no higher load was tried: of the pool that suffices, because the range ends there, and of others, because they were not asked for more."
	}
	return "≥ means that the constraints hold at the highest load that was tried. Unless maxTrials ended the search, raise the end of the range."
}
