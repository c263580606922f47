// SPDX-License-Identifier: Apache-2.0

package result

import (
	"fmt"
	"strings"
)

// Keep says that no point is better than the baseline.
const Keep = "keep what you have: the baseline ranks first"

// KeepBaseline says in one sentence that the baseline is to be kept, and how far
// behind the best of the other candidates is. The baseline must rank first.
func (l *Leaderboard) KeepBaseline() string {
	for i := range l.Candidates {
		next := &l.Candidates[i]
		if next.Baseline || !next.Complete() || len(next.VersusBaseline) == 0 {
			continue
		}
		if next.Rank == 1 {
			return fmt.Sprintf("%s; %s has the same figures", Keep, candidateName(next))
		}
		difference, margin, verdict := next.VersusBaseline[0].Texts(len(l.Seeds))
		change := strings.Join(strings.Fields(difference+" "+margin), " ")
		of := "of the baseline's"
		if next.VersusBaseline[0].multiple() {
			of = "the baseline's"
		}
		return fmt.Sprintf("%s; next is %s with %s %s %s (%s)", Keep, candidateName(next), l.Objectives[0].Measure, change, of, verdict)
	}
	return Keep + ", and no other point has all of its results"
}

// OnlyPoint names the only point of a sweep that varies nothing but the workload.
const OnlyPoint = "the scenario"

// candidateName names a candidate by its values, such as a=1 b=2.
func candidateName(c *Ranked) string {
	words := make([]string, len(c.Parameters))
	for i, a := range c.Parameters {
		words[i] = a.Name + "=" + a.Value
	}
	return strings.Join(words, " ")
}
