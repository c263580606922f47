// SPDX-License-Identifier: Apache-2.0

package kubectl

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/printable"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
	"windtunnel.dev/windtunnel/pkg/verdict"
)

// Verdict is the verdict of the status; nil where there are no gates, or no results.
func (o Object) Verdict() *verdict.Verdict {
	if o.Outcome() == "" {
		return nil
	}
	c := o.condition(v1alpha1.ConditionPassed)
	v := &verdict.Verdict{Outcome: o.Outcome(), Reason: verdict.Reason(c.Reason), Message: printable.Line(c.Message), Gates: o.gates()}
	if o.Sweep != nil {
		v.Best, v.Baseline = study.PointOf(o.Sweep.Status.Best), study.PointOf(o.Sweep.Status.Baseline)
	}
	switch {
	case v.Reason != verdict.TooFewSeeds:
	case o.Sweep != nil:
		v.Next = "more seeds decide: raise spec.search.confirm, or spec.replications.count"
	default:
		v.Next = "more seeds decide: raise spec.replications.count"
	}
	return v
}

// gates are what came of the gates: those that fail first, then those that are undecided.
func (o Object) gates() []verdict.Gate {
	gates := make([]verdict.Gate, len(o.Status().Gates))
	for i, g := range o.Status().Gates {
		gates[i] = verdict.Gate{Name: g.Name, Outcome: verdict.Outcome(g.Verdict), Message: g.Message}
	}
	slices.SortStableFunc(gates, func(a, b verdict.Gate) int {
		return slices.Index(verdict.Outcomes, a.Outcome) - slices.Index(verdict.Outcomes, b.Outcome)
	})
	return gates
}

// WriteVerdict says why an object has its verdict: its state, each gate, what to do next, the best
// candidate and the baseline.
func WriteVerdict(w io.Writer, o Object) {
	v := cmp.Or(o.Verdict(), &verdict.Verdict{Gates: o.gates()})
	fmt.Fprintf(w, "%s: %s\n", o.Title(), o.headline())
	if o.Sweep != nil {
		for _, s := range o.Sweep.Status.Steps {
			fmt.Fprintf(w, "  step %d %%: %s: %s\n", s.Percent, verdict.Outcome(s.Verdict).Word(), printable.Line(s.Message))
		}
	}
	for _, g := range v.Gates {
		fmt.Fprintf(w, "  gate %s: %s: %s\n", g.Name, g.Outcome.Word(), g.Message)
	}
	if v.Next != "" {
		fmt.Fprintf(w, "  %s\n", v.Next)
	}
	if o.Sweep != nil {
		writePoint(w, "best", study.PointOf(o.Sweep.Status.Best))
		writePoint(w, "baseline", study.PointOf(o.Sweep.Status.Baseline))
	}
}

// headline is the state of an object in a sentence.
func (o Object) headline() string {
	switch v := o.Verdict(); {
	case o.IsStale():
		return NotSeen
	case !o.is(v1alpha1.ConditionComplete) || o.State() == v1alpha1.ReasonNothingServed || o.attention() == hasDamage:
		return o.State() + ": " + OneLine(o.Why())
	case v == nil:
		return verdict.Ungated().Sentence()
	default:
		return v.Sentence()
	}
}

func writePoint(w io.Writer, title string, p *verdict.PointSummary) {
	if p == nil {
		return
	}
	fmt.Fprintf(w, "%s: point %d", title, p.ID)
	if p.Name != "" {
		fmt.Fprintf(w, " (%s)", p.Name)
	}
	if p.Figures != "" {
		fmt.Fprintf(w, ": %s", p.Figures)
	}
	fmt.Fprintln(w)
}

// Complaint is what makes a request bad for the first gate that does not pass.
func (o Object) Complaint() execute.Complaint {
	for _, g := range o.gates() {
		if g.Outcome != verdict.Fail && g.Outcome != verdict.Undecided {
			break
		}
		if metric := o.metricOf(g.Name); metric != "" {
			return execute.ComplaintOf(metric)
		}
	}
	return execute.LateFirstToken
}

// metricOf is the metric of a gate.
func (o Object) metricOf(gate string) string {
	if o.Sweep != nil {
		for _, g := range o.Sweep.Spec.Gates {
			if g.Name == gate {
				return g.Metric
			}
		}
		return ""
	}
	for _, g := range o.Run.Spec.Gates {
		if g.Name == gate {
			return g.Metric
		}
	}
	return ""
}

// Follower is the run that simulates again the point that the gates of a sweep are about, and how
// many points the spec must follow for one; "" where the sweep has none.
func (o Object) Follower() (name string, best int) {
	best = 1
	if o.Sweep.Spec.Proposal != nil && !isProposal(o.Sweep.Status.Best) {
		best = 2 // the baseline ranks before the proposal
	}
	if f := o.Sweep.Status.Followed; len(f) >= best {
		return f[best-1], best
	}
	return "", best
}

// isProposal reports whether a candidate is the proposal of a sweep.
func isProposal(c *v1alpha1.PointStatus) bool {
	return c != nil && slices.Contains(c.Parameters, v1alpha1.Assignment{Name: experiment.Configuration, Value: experiment.ProposedProfile})
}
