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
		return "< " + c.Breaks + bracketMark(c)
	case c.Breaks == "":
		return "≥ " + c.Holds + bracketMark(c)
	default:
		return c.Holds + " – " + c.Breaks + bracketMark(c)
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
	if of := otherParameters(&best.Candidate, load); of != "" {
		subject = "The best, " + of + ","
	}
	c := best.Capacity
	switch {
	case c == nil || c.Holds == "":
		return "No candidate was shown to hold any " + load + " that was tried."
	case c.Breaks == "":
		return fmt.Sprintf("%s holds a %s of %s, the greatest that was tried.", subject, load, c.Holds)
	case c.Undecided:
		return fmt.Sprintf("%s holds a %s of %s; whether it holds %s is not decided.", subject, load, c.Holds, c.Breaks)
	default:
		return fmt.Sprintf("%s holds a %s of %s, and does not hold %s.", subject, load, c.Holds, c.Breaks)
	}
}

// capacityNotes say what stands in the column of capacities.
func (l board) capacityNotes() []string {
	load, texts := "", ""
	for i := range l.Candidates {
		if c := l.Candidates[i].Capacity; c != nil {
			load = c.Load
			texts += bracketText(c)
		}
	}
	if load == "" {
		return nil
	}
	notes := []string{l.bestCapacity(load), "Ranked by the highest " + load + " at which all constraints were shown to hold; beside it the lowest at which they were not. Figures are those at the former."}
	if len(l.Candidates) > curvesListed {
		notes = append(notes, fmt.Sprintf("The loads that were tried are those of the first %d candidates; -o json has them of all.", curvesListed))
	}
	for _, mark := range []struct{ sign, words string }{
		{"≥", "≥ they hold at the greatest load that was tried: unless maxTrials ended the search, raise the end of its range."},
		{"<", "< they were not shown to hold at the least load of its range."},
		{"?", "? they were not shown to break there either: more seeds may decide it."},
		{"…", "… maxTrials ended the search before the bracket was narrow."},
		{"!", "! beyond the bracket it is somewhere the other way round: more load is not always worse."},
	} {
		if strings.Contains(texts, mark.sign) {
			notes = append(notes, mark.words)
		}
	}
	return notes
}
