// SPDX-License-Identifier: Apache-2.0

package result

import (
	"fmt"
	"strconv"
	"strings"
)

// Capacity is how much load a candidate bears: between the highest at which its
// constraints were shown to hold and the lowest at which they were not.
type Capacity struct {
	// Load is the parameter's name.
	Load string `json:"load"`
	// Holds and Breaks are loads; the one is absent where none was found to hold,
	// the other where none was found to break.
	Holds  string `json:"holds,omitempty"`
	Breaks string `json:"breaks,omitempty"`
	// Undecided says that the constraints were not shown to break at Breaks
	// either, Open that the search ended before the bracket was narrow.
	Undecided bool `json:"undecided,omitempty"`
	Open      bool `json:"open,omitempty"`
	// Against are loads beyond the bracket where it is the other way round.
	Against []string `json:"against,omitempty"`
	// Tried are the loads that were simulated, ascending.
	Tried []Tried `json:"tried,omitempty"`
}

// loss ranks capacities, those that bear more first; without one all are equal.
func (c *Capacity) loss() float64 {
	if c == nil {
		return 0
	}
	held, err := strconv.ParseFloat(c.Holds, 64)
	if err != nil {
		return 0 // none was found to hold
	}
	return -held
}

// text prints the bracket, such as 103.7–113.1.
func (c *Capacity) text() string {
	switch {
	case c == nil:
		return ""
	case c.Holds == "":
		return "< " + c.Breaks + c.mark()
	case c.Breaks == "":
		return "≥ " + c.Holds + c.mark()
	default:
		return c.Holds + " – " + c.Breaks + c.mark()
	}
}

// mark tells brackets that are not what they seem.
func (c *Capacity) mark() string {
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
func (l *Leaderboard) bestCapacity(load string) string {
	best := &l.Candidates[0]
	subject := "The scenario"
	if of := best.others(load); of != "" {
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
func (l *Leaderboard) capacityNotes() []string {
	load, texts := "", ""
	for i := range l.Candidates {
		if c := l.Candidates[i].Capacity; c != nil {
			load = c.Load
			texts += c.text()
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
