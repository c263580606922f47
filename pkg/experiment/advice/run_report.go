// SPDX-License-Identifier: Apache-2.0

package advice

import (
	"k8s.io/apimachinery/pkg/api/meta"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/report"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/verdict"
)

// NewRunReport returns what a person reads of a run that is over: its documents, what its
// status says of its gates and of what it rests on, and the targets of its classes, which
// are nil where the scenario is not known.
func NewRunReport(title string, documents []*result.Document, status *v1alpha1.CommonStatus, slos []v1alpha1.SLO) *report.RunReport {
	r := &report.RunReport{
		Title: title, Documents: documents,
		Targets: Targets(slos), StepTimes: status.StepTimes, Warnings: status.Warnings, Approximations: status.Approximations,
	}
	r.Gates = GateResults(status)
	if c := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionPassed); c != nil && c.Reason != v1alpha1.ReasonPending {
		r.Why = c.Message
	}
	return r
}

// GateResults are the results of gates as far as a status has them.
func GateResults(status *v1alpha1.CommonStatus) []result.GateResult {
	var results []result.GateResult
	for _, g := range status.Gates {
		results = append(results, result.GateResult{Gate: result.Gate{Name: g.Name}, Verdict: verdict.Outcome(g.Verdict), Message: g.Message})
	}
	return results
}

// Targets are the latency targets of classes.
func Targets(slos []v1alpha1.SLO) []report.Target {
	var targets []report.Target
	for i := range slos {
		s := &slos[i]
		for _, t := range []struct {
			latency string
			limit   v1alpha1.PositiveDuration
		}{{"ttft", s.TTFT}, {"tpot", s.TPOT}, {"e2e", s.E2E}} {
			if t.limit != "" {
				targets = append(targets, report.Target{Class: s.Class, Latency: t.latency, Seconds: t.limit.Duration().Seconds()})
			}
		}
	}
	return targets
}
