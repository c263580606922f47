// SPDX-License-Identifier: Apache-2.0

package main

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
)

// A mutation moves a knob by one place on the ladder, up or down.
type mutation struct{ knob, by int }

// possible are all mutations of a genome.
func possible(g genome) []mutation {
	var all []mutation
	for i := range g {
		for _, by := range []int{-1, 1} {
			if to := g[i] + by; to >= 0 && to < len(ladder) {
				all = append(all, mutation{i, by})
			}
		}
	}
	return all
}

func (g genome) with(m mutation) genome {
	child := slices.Clone(g)
	child[m.knob] += m.by
	return child
}

// words are what the mutator understands of a suggestion.
var words = regexp.MustCompile("more|less|against|weight of|;|`endpoints\\.([a-z_]+)`")

// suggested reads the section "Suggested focus" of a text, and returns for each line in order
// the mutations that it names. It knows no more than the names of the knobs: "more" before a
// name is up, "less" is down, "against" is the other way, and "weight of" is either.
func suggested(text string, knobs []string) [][]mutation {
	_, focus, found := strings.Cut(text, "## Suggested focus\n")
	if !found {
		return nil
	}
	focus, _, _ = strings.Cut(focus, "\n\n")
	var lines [][]mutation
	for line := range strings.Lines(focus) {
		var named []mutation
		by := 0
		for _, word := range words.FindAllStringSubmatch(line, -1) {
			switch word[0] {
			case "more":
				by = 1
			case "less":
				by = -1
			case "against":
				by = -by
			case "weight of", ";":
				by = 0
			default:
				named = append(named, moves(slices.Index(knobs, word[1]), by)...)
			}
		}
		lines = append(lines, named)
	}
	return lines
}

// moves are those of a knob in a direction, or in both where none is named.
func moves(knob, by int) []mutation {
	switch {
	case knob < 0:
		return nil
	case by == 0:
		return []mutation{{knob, 1}, {knob, -1}}
	default:
		return []mutation{{knob, by}}
	}
}

// next chooses a mutation of a genome that was not tried: among those of the first line that
// names one, or else among all. ok is false where all were tried.
func next(g genome, text string, knobs []string, tried map[mutation]bool, rng *rand.Rand) (m mutation, ok bool) {
	all := slices.DeleteFunc(possible(g), func(m mutation) bool { return tried[m] })
	for _, line := range suggested(text, knobs) {
		named := slices.DeleteFunc(slices.Clone(all), func(m mutation) bool { return !slices.Contains(line, m) })
		if len(named) > 0 {
			return named[rng.IntN(len(named))], true
		}
	}
	if len(all) == 0 {
		return mutation{}, false
	}
	return all[rng.IntN(len(all))], true
}
