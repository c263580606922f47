// SPDX-License-Identifier: Apache-2.0

package scheduler

import "math"

// ScoreTops are the highest scores of groups of neighbours, so that a pick among many
// candidates looks at one score of each group.
type ScoreTops struct {
	scores  []float64
	highest []float64 // by group
	tied    []int32   // how many scores of the group are the highest one
}

// topGroup is how many scores a group has.
const topGroup = 32

// ScoresFew says that there are so few endpoints that it costs the least to score and to look
// at all of them for each request.
func (b *Builder) ScoresFew() bool { return scoresFew(b.Endpoints) }

func scoresFew(candidates int) bool { return candidates <= 2*topGroup }

// newScoreTops are those of scores of 0.
func newScoreTops(candidates int) *ScoreTops {
	groups := (candidates + topGroup - 1) / topGroup
	t := &ScoreTops{highest: make([]float64, groups), tied: make([]int32, groups)}
	t.renewAll(make([]float64, candidates))
	return t
}

// set replaces one score.
func (t *ScoreTops) set(i int, score float64) {
	old, g := t.scores[i], i/topGroup
	t.scores[i] = score
	switch highest := t.highest[g]; {
	case score > highest:
		t.highest[g], t.tied[g] = score, 1
	case score == old:
	case score == highest:
		t.tied[g]++
	case old == highest:
		if t.tied[g]--; t.tied[g] == 0 {
			t.renew(g)
		}
	}
}

// renewAll is for scores that may all be others.
func (t *ScoreTops) renewAll(scores []float64) {
	t.scores = scores
	for g := range t.highest {
		t.renew(g)
	}
}

// renew looks at all scores of a group.
func (t *ScoreTops) renew(group int) {
	tied, highest := 0, math.Inf(-1)
	for _, score := range t.group(group) {
		switch {
		case score > highest:
			tied, highest = 1, score
		case score == highest:
			tied++
		}
	}
	t.highest[group], t.tied[group] = highest, int32(tied)
}

func (t *ScoreTops) group(g int) []float64 {
	return t.scores[g*topGroup : min((g+1)*topGroup, len(t.scores))]
}

// Highest returns the score that no other one exceeds, and how many candidates have it.
func (t *ScoreTops) Highest() (highest float64, tied int) {
	highest = math.Inf(-1)
	for g, score := range t.highest {
		switch {
		case score > highest:
			tied, highest = int(t.tied[g]), score
		case score == highest:
			tied += int(t.tied[g])
		}
	}
	return highest, tied
}

// Of returns the candidate that has the highest score as the one after n others.
func (t *ScoreTops) Of(highest float64, n int) int {
	for g, score := range t.highest {
		if score != highest {
			continue
		}
		if n >= int(t.tied[g]) {
			n -= int(t.tied[g])
			continue
		}
		for i, score := range t.group(g) {
			if score != highest {
				continue
			}
			if n == 0 {
				return g*topGroup + i
			}
			n--
		}
	}
	panic("epp: fewer candidates have the highest score than were counted")
}
