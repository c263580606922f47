// SPDX-License-Identifier: Apache-2.0

package kubectl

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
	"windtunnel.dev/windtunnel/pkg/verdict"
)

// Verdict is the verdict of the gates in the form of the local commands; nil where there are no
// gates, or no results.
func (o Object) Verdict() *study.Verdict {
	c := o.condition(v1alpha1.ConditionPassed)
	if c == nil || o.IsStale() || c.Reason == v1alpha1.ReasonPending {
		return nil
	}
	return &study.Verdict{Judgement: o.Outcome(), Message: c.Message, KeepBaseline: c.Reason == v1alpha1.ReasonBaselineIsBest, Unexercised: c.Reason == v1alpha1.ReasonChangeNotExercised, WithinModelError: c.Reason == v1alpha1.ReasonWithinModelError}
}

// WriteVerdict says why an object has its verdict: its state, each gate, the best candidate and the
// baseline.
func WriteVerdict(w io.Writer, o Object) {
	fmt.Fprintf(w, "%s: %s\n", o.Title(), o.headline())
	for _, g := range o.sortedGates() {
		fmt.Fprintf(w, "  gate %s: %s: %s\n", g.Name, verdict.Outcome(g.Verdict).Word(), g.Message)
	}
	if advice := o.decides(); advice != "" {
		fmt.Fprintf(w, "  %s\n", advice)
	}
	if o.Sweep != nil {
		writeCandidate(w, "best", o.Sweep.Status.Best)
		writeCandidate(w, "baseline", o.Sweep.Status.Baseline)
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
		return "complete, without gates"
	default:
		return v.Judgement.Word() + ": " + OneLine(v.Message)
	}
}

// sortedGates are the gates: those that fail first, then those that are undecided.
func (o Object) sortedGates() []v1alpha1.GateStatus {
	gates := slices.Clone(o.Status().Gates)
	slices.SortStableFunc(gates, func(a, b v1alpha1.GateStatus) int {
		return slices.Index(verdict.Outcomes, verdict.Outcome(a.Verdict)) - slices.Index(verdict.Outcomes, verdict.Outcome(b.Verdict))
	})
	return gates
}

// decides says what would decide gates that lack evidence.
func (o Object) decides() string {
	if v := o.Verdict(); v != nil && v.Undecided() {
		return ""
	}
	if !slices.ContainsFunc(o.Status().Gates, func(g v1alpha1.GateStatus) bool { return g.Verdict == v1alpha1.GateUnknown }) {
		return ""
	}
	if o.Sweep != nil {
		return "More seeds decide: raise spec.search.confirm, or spec.replications.count."
	}
	return "More seeds decide: raise spec.replications.count."
}

func writeCandidate(w io.Writer, title string, c *v1alpha1.Candidate) {
	if c == nil {
		return
	}
	fmt.Fprintf(w, "%s: point %d", title, c.Point)
	if p := parameters(c); p != "" {
		fmt.Fprintf(w, " (%s)", p)
	}
	if s := Summary(c); s != "" {
		fmt.Fprintf(w, ": %s", s)
	}
	fmt.Fprintln(w)
}

func parameters(c *v1alpha1.Candidate) string {
	var parts []string
	for _, p := range c.Parameters {
		parts = append(parts, p.Name+"="+p.Value)
	}
	return strings.Join(parts, ", ")
}

// Complaint is what makes a request bad for the first gate that does not pass.
func (o Object) Complaint() execute.Complaint {
	for _, g := range o.sortedGates() {
		if g.Verdict != v1alpha1.GateFail && g.Verdict != v1alpha1.GateUnknown {
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
func isProposal(c *v1alpha1.Candidate) bool {
	return c != nil && slices.Contains(c.Parameters, v1alpha1.Assignment{Name: experiment.Configuration, Value: experiment.ProposedProfile})
}
