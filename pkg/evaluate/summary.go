// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"fmt"
	"slices"

	"windtunnel.dev/windtunnel/pkg/experiment/inspect"
	"windtunnel.dev/windtunnel/pkg/insight"
)

// NoSummary is what callers say for answers without summaries.
const NoSummary insight.Strategy = "none"

// Summaries are what callers can ask for; the first one is the default.
var Summaries = append(slices.Clone(insight.Strategies), NoSummary)

// SummaryOf reads what a caller asks for, as an [Evaluator] takes it.
func SummaryOf(asked insight.Strategy) (insight.Strategy, error) {
	switch {
	case asked == "":
		return Summaries[0], nil
	case asked == NoSummary:
		return "", nil
	case !slices.Contains(Summaries, asked):
		return "", fmt.Errorf("summary %q: must be one of %s", asked, join(Summaries))
	default:
		return asked, nil
	}
}

// question is what is asked of each simulation.
func (e *Evaluator) question() inspect.Question {
	q := inspect.Question{}
	q.CheckInvariants = e.CheckInvariants
	if e.Summary != "" {
		q.Summary = &inspect.Summary{Strategy: e.Summary, Flips: flips}
	}
	return q
}

// flips is fewer than the default of a report for people: each is one more simulation for
// each of the worst decisions, and a search asks thousands of times.
const flips = 3

// reflect fills in what went wrong, and what each component of the policy decided then.
func (a *Answer) reflect(seen *inspect.Answer, p *Policy) {
	a.SummaryText = seen.Summary
	for name := range p.bundle.Components() { // into a map
		if examples := seen.Report.Components[string(name)]; len(examples) > 0 {
			a.Components[string(name)] = examples
		}
	}
}
