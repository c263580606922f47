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

// notes are the sentences about a leaderboard and its legend.
func (l board) notes() []string { return append(l.facts(), l.legend()...) }

// facts are sentences about the results of this leaderboard.
func (l board) facts() []string {
	facts := l.capacityFacts()
	if n := len(l.Workloads); n > 0 {
		facts = append(facts, fmt.Sprintf("Each candidate was simulated under %s; figures without a workload are means over them.", figure.Plural(n, "workload")))
	}
	if n := l.Counts.Infeasible; n > 0 {
		facts = append(facts, fmt.Sprintf("✗ marks the %d of %d candidates whose means break a constraint; they rank behind all others.", n, l.Counts.All))
	}
	if len(l.Seeds) < 2 {
		facts = append(facts, seedsNote(l.Seeds))
	}
	if names := l.repeating(); len(names) > 0 {
		facts = append(facts, "Nothing is random in the latencies of "+firstNames(names)+": all seeds give the same. ± 0 says that the result repeats, as a trace does, not that it is certain.")
	}
	facts = append(facts, l.rungNotes()...)
	if names := l.rejecting(); len(names) > 0 {
		facts = append(facts, "Latencies exclude rejected requests, so a candidate that rejects many of them may look fast. Shares of rejected requests: "+firstNames(names)+" (rejectionRate).")
	}
	if l.unfinished() {
		facts = append(facts, unfinishedNote)
	}
	if names := l.unsteady(); len(names) > 0 {
		facts = append(facts, "The warm-up rule found no steady state in the first half of some runs, and removed no requests from them: "+firstNames(names)+" (warmup.steady).")
	}
	if names := l.WithoutRequestCost; len(names) > 0 {
		facts = append(facts, fmt.Sprintf("Some candidates have half of their first tokens within 50 ms, without any time for tokeniser, HTTP and gateway: state requestCost of %s.", strings.Join(names, ", ")))
	}
	facts = append(facts, l.unrankedNotes()...)
	if more := l.Counts.All - len(l.Candidates); more > 0 {
		facts = append(facts, fmt.Sprintf("The table lists %d of %d candidates: the best, those on the Pareto front, and the baseline.", len(l.Candidates), l.Counts.All))
	}
	return append(facts, fmt.Sprintf("Engine version %s.", l.EngineVersion))
}

// legend explains the marks and columns of a leaderboard's table.
func (l board) legend() []string {
	var legend []string
	switch capacities := l.capacityLegend(); {
	case len(l.Objectives) == 0:
	case len(capacities) > 0:
		legend = append(legend, capacities...)
		legend = append(legend, l.rankNote("Equal candidates are ranked by the mean of "))
	default:
		legend = append(legend, l.rankNote("Candidates are ranked by the mean of "), l.frontNote())
	}
	if _, found := l.kinds(); found {
		legend = append(legend, l.eliteNote())
	}
	if len(l.Seeds) > 1 {
		legend = append(legend, seedsNote(l.Seeds))
	}
	if l.furtherSeeds() {
		legend = append(legend, furtherSeedsNote)
	}
	if l.Baseline != nil {
		legend = append(legend, comparisonNotes(len(l.Seeds), l.Counts.Compared)...)
	}
	return legend
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
	note := "* marks the Pareto front: by the means, no other candidate is at least as good in all objectives and better in one."
	if len(l.Seeds) > 1 {
		note += " A percentage is the probability of being on the front, given the variation over seeds."
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
		words := "the rank correlation is unknown"
		if r.Correlation != nil {
			words = "rank correlation " + figure.Fixed(*r.Correlation, 2)
			if *r.Correlation <= 0 {
				words = "WARNING: " + words
			}
		}
		notes = append(notes, fmt.Sprintf("A first simulation of %s of the requests compared %d candidates: in %s, %s with %s (%d candidates).",
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
		return fmt.Sprintf("Only one seed (%d, n=1) was simulated, so the variation over seeds is unknown.", seeds[0])
	default:
		return fmt.Sprintf("± is half the width of the %s confidence interval of the mean over %d seeds (%s).",
			figure.Percent(result.Confidence), len(seeds), figure.Seeds(seeds))
	}
}

const furtherSeedsNote = "A larger n means additional seeds, which count in figures and comparisons but not in ranks."

// furtherSeeds says whether some candidate has more seeds than all have.
func (l board) furtherSeeds() bool {
	return slices.ContainsFunc(l.Candidates, func(c result.Ranked) bool {
		return c.Capacity == nil && slices.ContainsFunc(slices.Collect(maps.Values(c.Metrics)), func(i stats.Interval) bool { return i.N > len(l.Seeds) })
	})
}

func comparisonNotes(seeds, compared int) []string {
	const paired = "Versus baseline is the mean difference from the baseline, paired by seed, in % of the baseline."
	if seeds < 2 {
		return []string{paired + " With one seed every comparison is undecided."}
	}
	return []string{
		paired + fmt.Sprintf(" For each objective, all verdicts better and worse together hold at %s (paired t-tests, Holm's correction for %d candidates). More seeds narrow the undecided ones.", figure.Percent(result.Confidence), compared),
		"A comparison with the same figures under every seed is undecided: equal results count as one observation.",
		"Each interval holds for one comparison. Among many candidates some look better by chance; the verdicts account for this.",
	}
}

const unfinishedNote = "Some requests were in flight at the end of the run. Latencies exclude requests without a first token, and therefore look better than they are (unfinishedRate)."

// unfinished says whether some candidate left requests in flight.
func (l board) unfinished() bool {
	name := result.MustParseMetric("unfinishedRate").String()
	return slices.ContainsFunc(l.Candidates, func(r result.Ranked) bool { return r.Metrics[name].Mean > 0 })
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

// repeating names the candidates whose latencies are the same under each seed, in order. Shares
// may be 0 % or 100 % under each seed by themselves.
func (l board) repeating() []string {
	var names []string
	for i := range l.Candidates {
		c, latencies, same := &l.Candidates[i], 0, true
		for _, m := range l.Measures() {
			if in := c.Metrics[m.String()]; m.Unit() == result.Seconds && in.N > 1 {
				latencies++
				same = same && in.Low == in.High
			}
		}
		if latencies > 0 && same {
			names = append(names, candidateName(c, make([]int, len(c.Parameters))))
		}
	}
	return names
}
