// SPDX-License-Identifier: Apache-2.0

package compile

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
)

// TestFindingsOfAProposalNameWhatWasWritten: what the linter has against the
// configuration that is replaced is said of the scenario alone.
func TestFindingsOfAProposalNameWhatWasWritten(t *testing.T) {
	got := findingsAsWritten([]experiment.Finding{
		{Path: "spec.scenario.router.endpointPickerConfig.inline"}, {Path: spelledBaseline + ".endpointPickerConfig.inline"},
		{Path: spelledProposal + ".endpointPickerConfig.inline"}, {Path: spelledBaseline}, {Path: spelledProposal},
	})
	want := []experiment.Finding{
		{Path: "spec.scenario.router.endpointPickerConfig.inline"}, {Path: "spec.proposal.endpointPickerConfig.inline"},
		{Path: "spec.scenario.router"}, {Path: "spec.proposal"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("findings (−want +got):\n%s", diff)
	}
}

// TestAMetricIsOneObjectiveHoweverItIsSpelled: the labels of a selector come in any
// order.
func TestAMetricIsOneObjectiveHoweverItIsSpelled(t *testing.T) {
	const one, other = "ttft.p99{class=chat,tenant=acme}", "ttft.p99{tenant=acme,class=chat}"
	in := v1alpha1.PolicySweepSpec{Proposal: &v1alpha1.Proposal{}}
	in.Gates = []v1alpha1.Gate{{Metric: one, Operator: v1alpha1.AtMost}, {Metric: other, Operator: v1alpha1.AtMost}, {Metric: "mine", Operator: v1alpha1.AtLeast}}
	want := []v1alpha1.Objective{{Metric: one, Direction: v1alpha1.Minimize}, {Metric: "mine", Direction: v1alpha1.Maximize}}
	if diff := cmp.Diff(want, spelledOut(&in).Objectives); diff != "" {
		t.Errorf("objectives (−want +got):\n%s", diff)
	}
}
