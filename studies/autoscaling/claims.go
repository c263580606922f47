// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"windtunnel.dev/windtunnel/studies/study"
)

// A claim is what one would expect, with a rule for each of some cases.
type claim struct {
	expected, rule string
	holds          []bool // by case
	// found are lines with what the cases have.
	found []string
}

// verdict is what the figures say.
func (c *claim) verdict() string {
	n := 0
	for _, holds := range c.holds {
		if holds {
			n++
		}
	}
	switch n {
	case len(c.holds):
		return fmt.Sprintf("confirmed in all of %d cases", n)
	case 0:
		return fmt.Sprintf("denied in all of %d cases", len(c.holds))
	}
	return fmt.Sprintf("holds in %d of %d cases", n, len(c.holds))
}

func (c *claim) String() string {
	head := fmt.Sprintf("- *%s*: **%s.** The rule for each case: %s.", c.expected, c.verdict(), c.rule)
	return strings.Join(append([]string{head}, c.found...), "\n  - ")
}

// The bounds of the rules.
const (
	alike    = 0.001 // of shares
	enough   = 0.95  // of the requests within their targets
	cheap    = 0.6   // of the replica-hours of the peak
	fewMore  = 0.02  // of the requests, beyond those outside of a burst
	drifting = 0.05  // of the ratio
	nearMost = 0.9   // of the greatest number of replicas
	sameCost = 0.1   // of replica-hours
)

// A place is where a policy is looked at: a contest and a time to start.
type place struct {
	*contest
	startup time.Duration
}

// places are the contests of a load, by cluster and time to start; of all loads for "".
func (f *findings) places(load string) []place {
	var all []place
	for _, c := range f.contests {
		for _, startup := range f.scale.startups {
			if load == "" || c.load.name == load {
				all = append(all, place{c, startup})
			}
		}
	}
	return all
}

// split are the places with two pools.
func split(all []place) []place {
	return slices.DeleteFunc(all, func(p place) bool { return len(p.cluster.pools) < 2 })
}

// starting are the places with a time to start.
func starting(all []place, startup time.Duration) []place {
	return slices.DeleteFunc(all, func(p place) bool { return p.startup != startup })
}

func (p place) String() string {
	return fmt.Sprintf("%s, %s, %s", p.load.name, p.cluster.name, inWords(p.startup))
}

// mean is a metric of a policy.
func (p place) mean(policy, metric string) float64 { return p.of(policy, p.startup).mean(metric) }

// share is that of the requests of a policy within their targets.
func (p place) share(policy string) float64 { return p.mean(policy, "goodput") }

// hours are the replica-hours of a policy.
func (p place) hours(policy string) float64 { return p.mean(policy, "replicaHours") }

// reacting are the policies that know nothing of the future, best first; the seed, which
// is there to show its faults, is none.
func (p place) reacting() []string {
	var names []string
	for i := range p.cells {
		if c := &p.cells[i]; c.contender.reacts && c.startup == p.startup {
			names = append(names, c.contender.name)
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(p.share(b), p.share(a)) })
	return names
}

// in writes a policy's share and replica-hours.
func (p place) in(policy string) string {
	return fmt.Sprintf("`%s` %s for %s h", policy, percent(p.share(policy)), number(p.hours(policy)))
}

// tableOf lists the claims, with what the study found.
func tableOf(claims ...[]*claim) *study.Table {
	t := &study.Table{Titles: []string{"expected", "found"}}
	for _, c := range slices.Concat(claims...) {
		t.Add(c.expected, c.verdict())
	}
	return t
}

// each makes a claim of a rule for each place.
func each(expected, rule string, at []place, holds func(place) bool, says func(place) string) *claim {
	c := &claim{expected: expected, rule: rule}
	for _, p := range at {
		c.holds = append(c.holds, holds(p))
	}
	c.found = byContest(at, says)
	return c
}

// forEachPolicy makes a claim with a case for each place and policy.
func forEachPolicy(expected, rule string, at []place, policies []string, holds func(place, string) bool) *claim {
	c := &claim{expected: expected, rule: rule}
	for _, p := range at {
		for _, name := range policies {
			c.holds = append(c.holds, holds(p, name))
		}
	}
	c.found = byContest(at, func(p place) string {
		var words []string
		for _, name := range policies {
			words = append(words, p.in(name))
		}
		return strings.Join(words, ", ")
	})
	return c
}

// byContest says what the places of each contest have, by the time to start.
func byContest(at []place, says func(place) string) []string {
	var lines []string
	for i, p := range at {
		words := fmt.Sprintf("%s: %s", inWords(p.startup), says(p))
		if i > 0 && at[i-1].contest == p.contest {
			lines[len(lines)-1] += "; " + words
			continue
		}
		lines = append(lines, fmt.Sprintf("%s, %s: %s", p.load.name, p.cluster.name, words))
	}
	return lines
}
