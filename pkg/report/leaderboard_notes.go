// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"windtunnel.dev/windtunnel/internal/figure"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// notes are the lines below a leaderboard's table.
func (l board) notes() []string {
	var notes []string
	switch capacities := l.capacityNotes(); {
	case len(l.Objectives) == 0:
	case len(capacities) > 0:
		notes = append(notes, capacities...)
		notes = append(notes, l.rankNote("Ties by the mean of "))
	default:
		notes = append(notes, l.rankNote("Ranked by the mean of "), l.frontNote())
	}
	if _, found := l.kinds(); found {
		notes = append(notes, l.eliteNote())
	}
	if n := l.Counts.Infeasible; n > 0 {
		notes = append(notes, fmt.Sprintf("✗ breaks a constraint: %d of %d candidates do, by their means, and rank behind those that do not.", n, l.Counts.All))
	}
	notes = append(notes, seedsNote(l.Seeds))
	if l.furtherSeeds() {
		notes = append(notes, furtherSeedsNote)
	}
	if l.Baseline != nil {
		notes = append(notes, comparisonNotes(len(l.Seeds), l.Counts.Compared)...)
	}
	notes = append(notes, l.rungNotes()...)
	if names := l.rejecting(); len(names) > 0 {
		notes = append(notes, rejectingNote(names))
	}
	if l.unfinished() {
		notes = append(notes, unfinishedNote)
	}
	if names := l.unsteady(); len(names) > 0 {
		notes = append(notes, unsteadyNote(names))
	}
	notes = append(notes, l.unrankedNotes()...)
	if more := l.Counts.All - len(l.Candidates); more > 0 {
		notes = append(notes, fmt.Sprintf("Listed are %d of %d candidates: the best, those on the Pareto front, and the baseline.", len(l.Candidates), l.Counts.All))
	}
	return append(notes, fmt.Sprintf("Engine version %s.", l.EngineVersion))
}

func (l board) rankNote(begin string) string {
	var words []string
	for _, o := range l.Objectives {
		meaning := "less is better"
		if o.Direction == result.Maximize {
			meaning = "more is better"
		}
		words = append(words, fmt.Sprintf("%s (%s %s)", o.Measure, arrow(o.Direction), meaning))
	}
	return begin + strings.Join(words, ", then ") + "."
}

func (l board) frontNote() string {
	note := "* on the Pareto front: no other candidate is at least as good in all objectives and better in one, by the means."
	if len(l.Seeds) > 1 {
		note += " A percentage is how likely that is as the seeds vary, where it is not certain."
	}
	return note
}

// rungNotes say how far short simulations can be trusted.
func (l board) rungNotes() []string {
	var notes []string
	for i, r := range l.Rungs {
		if i == len(l.Rungs)-1 || len(l.Objectives) == 0 {
			break
		}
		words := "no rank correlation can be had"
		if r.Correlation != nil {
			words = "rank correlation " + figure.Fixed(*r.Correlation, 2)
			if *r.Correlation <= 0 {
				words = "WARNING: " + words
			}
		}
		notes = append(notes, fmt.Sprintf("%s of the requests were simulated of %d candidates; in %s, %s with %s (%d candidates).",
			figure.Share(r.Share), r.Candidates, l.Objectives[0].Measure, words, figure.Share(l.Rungs[i+1].Share), r.Common))
	}
	return notes
}

// maxUnranked bounds how many candidates of a standing are named.
const maxUnranked = 8

// unrankedNotes name those without a rank.
func (l board) unrankedNotes() []string {
	var notes []string
	add := func(s result.Standing, title string, all int) {
		named := 0
		for i := range l.Candidates {
			if c := &l.Candidates[i]; c.Standing == s && named < maxUnranked {
				named++
				notes = append(notes, fmt.Sprintf("%s: %s: %s.", title, candidateName(c, make([]int, len(c.Parameters))), c.Reason))
			}
		}
		if more := all - named; more > 0 {
			notes = append(notes, fmt.Sprintf("%s: %d more candidates.", title, more))
		}
	}
	add(result.Dropped, "Dropped by the search", l.Counts.Dropped)
	add(result.Shortened, "Given up by the search", l.Counts.Shortened)
	add(result.Incomplete, "Incomplete, ranked last", l.Counts.Incomplete)
	add(result.Failed, "Failed", l.Counts.Failed)
	return notes
}

// seedsNote says what ± is.
func seedsNote(seeds []int64) string {
	switch len(seeds) {
	case 0:
		return "No results."
	case 1:
		return fmt.Sprintf("One seed (%d, n=1): there is no interval, and nothing is known of the spread.", seeds[0])
	default:
		return fmt.Sprintf("± is half the width of the %s confidence interval of the mean over %d seeds (%s).",
			figure.Percent(result.Confidence), len(seeds), figure.Seeds(seeds))
	}
}

const furtherSeedsNote = "Where n is greater, further seeds were simulated: they count in the figures and comparisons, and not in the ranks."

// furtherSeeds says whether some candidate has more seeds than all have.
func (l board) furtherSeeds() bool {
	return slices.ContainsFunc(l.Candidates, func(c result.Ranked) bool {
		return c.Capacity == nil && slices.ContainsFunc(slices.Collect(maps.Values(c.Metrics)), func(i stats.Interval) bool { return i.N > len(l.Seeds) })
	})
}

func comparisonNotes(seeds, compared int) []string {
	const paired = "Versus baseline: mean difference, paired by seed, in % of the baseline."
	if seeds < 2 {
		return []string{paired + " With one seed every comparison is undecided."}
	}
	return []string{
		paired + fmt.Sprintf(" In each objective the verdicts better and worse hold together at %s (paired t-tests, Holm's correction for %d candidates); the others are undecided: more seeds narrow them.", figure.Percent(result.Confidence), compared),
		"Where every seed gives the same figures it is undecided: the seeds change nothing, and equal results are one observation.",
		"Each interval stands by itself: of many candidates, some will look better by chance, which the verdicts allow for.",
	}
}

const unfinishedNote = "Some requests were still in flight when the run ended: those without a first token are not in the latencies, which therefore look better than they are (unfinishedRate)."

// unfinished says whether some candidate left requests in flight.
func (l board) unfinished() bool {
	name := result.MustParseMetric("unfinishedRate").String()
	for i := range l.Candidates {
		if l.Candidates[i].Metrics[name].Mean > 0 {
			return true
		}
	}
	return false
}

// noticeable is the share of requests whose rejection a table speaks of.
const noticeable = 0.001

// rejecting names the candidates that rejected requests, in order, with the
// share of them and the reasons.
func (l board) rejecting() []string {
	metric := result.MustParseMetric("rejectionRate").String()
	var names []string
	for i := range l.Candidates {
		c := &l.Candidates[i]
		if rate := c.Metrics[metric].Mean; rate >= noticeable {
			words := fmt.Sprintf("%s %s %%", candidateName(c, make([]int, len(c.Parameters))), figure.Fixed(rate*100, 1))
			if len(c.RejectedBy) > 0 {
				words += fmt.Sprintf(" (%s)", c.RejectedBy.Shares())
			}
			names = append(names, words)
		}
	}
	return names
}

// maxNamed bounds how many candidates a note names.
const maxNamed = 5

func firstNames(names []string) string {
	text := strings.Join(names[:min(len(names), maxNamed)], ", ")
	if more := len(names) - maxNamed; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

func rejectingNote(names []string) string {
	return "Rejected requests are in no latency, so that who rejects much may look fast. Rejected were: " + firstNames(names) + " of the requests (rejectionRate)."
}

// unsteady names the candidates of which the warm-up rule saw no steady state
// under some seed, in order.
func (l board) unsteady() []string {
	metric := result.MustParseMetric("warmup.steady").String()
	var names []string
	for i := range l.Candidates {
		c := &l.Candidates[i]
		if steady, ok := c.Metrics[metric]; ok && steady.Mean < 1 {
			names = append(names, candidateName(c, make([]int, len(c.Parameters))))
		}
	}
	return names
}

func unsteadyNote(names []string) string {
	return "No steady state was seen in the first half of some runs, of which nothing is left out as warm-up: " + firstNames(names) + " (warmup.steady)."
}
