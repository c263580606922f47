// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"slices"
	"strings"

	"windtunnel.dev/windtunnel/internal/figure"
	"windtunnel.dev/windtunnel/pkg/result"
)

// LeaderboardVerdict says in one sentence, without a full stop, which candidate wins, by
// how much and how surely, or that none does.
func LeaderboardVerdict(of *result.Leaderboard) string {
	l := board{of}
	if len(l.Candidates) == 0 || !l.Candidates[0].Complete() {
		return "no candidate wins: none has all of its results"
	}
	best, base := &l.Candidates[0], l.baseline()
	load, _ := l.load()
	switch {
	case l.demand() != nil:
		return l.sizing().verdict()
	case best.Standing == result.Infeasible:
		return fmt.Sprintf("no candidate wins: none meets the constraints; %s comes closest", best.Name())
	case load != "":
		sentence := strings.TrimSuffix(l.bestCapacity(load), ".")
		return strings.ToLower(sentence[:1]) + sentence[1:]
	case base != nil && base.Rank == best.Rank:
		return l.KeepBaseline()
	case len(l.Objectives) == 0:
		return "no candidate wins: no objective ranks them"
	case base == nil:
		return l.firstWithoutBaseline(best)
	default:
		return l.firstAgainstBaseline(best, base)
	}
}

// firstWithoutBaseline gives the figure of the first candidate, or says how many
// candidates share the first rank.
func (l board) firstWithoutBaseline(best *result.Ranked) string {
	measure := l.Objectives[0].Measure
	if n := l.sharing(best.Rank); n > 1 {
		return fmt.Sprintf("no candidate wins: %d candidates rank first with equal figures", n)
	}
	if len(best.Parameters) == 0 {
		return fmt.Sprintf("the scenario has %s %s, and nothing is compared with it", measure, l.figure(best, measure))
	}
	return fmt.Sprintf("%s ranks first with %s %s; no baseline tests how sure this is",
		best.Name(), measure, l.figure(best, measure))
}

// sharing counts the complete candidates of a rank.
func (l board) sharing(rank int) int {
	n := 0
	for i := range l.Candidates {
		if c := &l.Candidates[i]; c.Complete() && c.Rank == rank {
			n++
		}
	}
	return n
}

// figure is the mean of a candidate with its margin and its unit.
func (l board) figure(c *result.Ranked, m result.Measure) string {
	text := (&Sweep{Board: l.Leaderboard}).Estimate(c, m)
	return strings.TrimSpace(text + " " + m.Unit().Display().Suffix)
}

// firstAgainstBaseline compares the first candidate with the baseline in the first
// objective.
func (l board) firstAgainstBaseline(best, base *result.Ranked) string {
	name, difference := best.Name(), &best.VersusBaseline[0]
	change := fmt.Sprintf("its %s %s (%s)", difference.Measure, difference.Changes(len(l.Seeds), "the baseline"), evidence(difference))
	change += l.equals(best)
	switch {
	case !base.Complete():
		return fmt.Sprintf("%s ranks first: the baseline lacks results", name)
	case base.Standing == result.Infeasible:
		return fmt.Sprintf("%s wins: it meets the constraints, and the baseline does not; %s", name, change)
	case difference.Verdict == result.Better:
		return fmt.Sprintf("%s wins: %s", name, change)
	default:
		return fmt.Sprintf("no clear winner: %s ranks first, but the difference may be chance; %s%s", name, change, l.sureBeside(best))
	}
}

// equals names the values that have the same figures as the best candidate, which do not matter here:
// those of one parameter, or else how many candidates.
func (l board) equals(best *result.Ranked) string {
	varied := map[string][]string{}
	var names []string
	n := 0
	for i := range l.Candidates {
		c := &l.Candidates[i]
		if !c.Complete() || c.Rank != best.Rank {
			continue
		}
		n++
		for _, p := range c.Parameters {
			if !slices.Contains(varied[p.Name], p.Value) {
				varied[p.Name] = append(varied[p.Name], p.Value)
			}
		}
	}
	var others []string
	for _, p := range best.Parameters {
		if len(varied[p.Name]) > 1 {
			names = append(names, p.Name)
		} else {
			others = append(others, p.Name)
		}
	}
	switch {
	case n < 2:
		return ""
	case len(names) != 1 || len(others) == 0:
		return fmt.Sprintf("; %d candidates have its figures", n)
	}
	verb := "decides"
	if len(others) > 1 {
		verb = "decide"
	}
	return fmt.Sprintf("; any %s of %s has these figures: %s %s", names[0], strings.Join(varied[names[0]], " and "), strings.Join(others, " and "), verb)
}

// sureBeside names the further objectives in which a candidate surely differs from the
// baseline.
func (l board) sureBeside(best *result.Ranked) string {
	words := ""
	for i := range best.VersusBaseline[1:] {
		if d := &best.VersusBaseline[i+1]; d.Verdict == result.Better || d.Verdict == result.Worse {
			words += fmt.Sprintf("; sure is that its %s %s (%s)", d.Measure, d.Changes(len(l.Seeds), "it"), evidence(d))
		}
	}
	return words
}

// changeText is a difference with its margin, such as +6.2 ± 0.3 %.
func changeText(c *result.Comparison, seeds int) string {
	difference, margin, _ := c.Texts(seeds)
	return strings.TrimSpace(difference + " " + margin)
}

// evidence is the verdict with its p-value, such as better, p < 0.001.
func evidence(c *result.Comparison) string {
	switch {
	case c.PValue != nil:
		return fmt.Sprintf("%s, p %s", c.Verdict, figure.PValue(*c.PValue))
	case c.Difference.N < 2:
		return fmt.Sprintf("%s with one seed", c.Verdict)
	default:
		return fmt.Sprintf("%s: the seeds change nothing", c.Verdict)
	}
}

// ContrastVerdict says in one sentence, without a full stop, which of two results wins,
// by how much and how surely, or that neither does.
func ContrastVerdict(c *result.Contrast) string {
	better, worse := metricsWith(c, result.Better), metricsWith(c, result.Worse)
	second := c.Names[1]
	switch {
	case len(c.Differing) == 0:
		return "no side wins: both have the same figures under every seed"
	case len(better)+len(worse) == 0:
		return fmt.Sprintf("no side wins: no difference is sure at %s over %s",
			figure.Percent(result.Confidence), figure.Plural(len(c.Seeds), "seed"))
	case len(worse) == 0:
		return fmt.Sprintf("%s wins: it is better in %s, worse in none", second, describe(better, c))
	case len(better) == 0:
		return fmt.Sprintf("%s wins: %s is worse in %s, better in none", c.Names[0], second, describe(worse, c))
	default:
		return fmt.Sprintf("no clear winner: %s is better in %s and worse in %s", second, describe(better, c), describe(worse, c))
	}
}

func metricsWith(c *result.Contrast, v result.Effect) []*result.Comparison {
	var found []*result.Comparison
	for i := range c.Differing {
		if d := &c.Differing[i].Comparison; d.Verdict == v {
			found = append(found, d)
		}
	}
	return found
}

// describe counts metrics and gives the change of the first one.
func describe(metrics []*result.Comparison, c *result.Contrast) string {
	first := metrics[0]
	change := fmt.Sprintf("%s %s, p %s", first.Measure, changeText(first, len(c.Seeds)), figure.PValue(*first.PValue))
	if len(metrics) == 1 {
		return fmt.Sprintf("1 metric (%s)", change)
	}
	return fmt.Sprintf("%d metrics (first %s)", len(metrics), change)
}
