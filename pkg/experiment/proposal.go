// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// What a proposal is spelled out with: one parameter, whose two values are whole
// EPP configurations.
const (
	configuration   = "configuration"
	currentProfile  = "baseline"
	proposedProfile = "proposal"
)

// proposedPoint is the point of a proposal.
var proposedPoint = []v1alpha1.Assignment{{Name: configuration, Value: proposedProfile}}

// spelledOut returns a sweep's spec with its proposal as what it stands for: two
// profiles, the scenario's own configuration as the baseline and the proposed one,
// about which the gates are. A spec without a proposal is returned as it is.
func spelledOut(in *v1alpha1.PolicySweepSpec) *v1alpha1.PolicySweepSpec {
	if in.Proposal == nil {
		return in
	}
	out := *in
	out.Parameters = []v1alpha1.Parameter{{
		Name: configuration,
		Path: render(pickerConfigPath),
		Profiles: []v1alpha1.Profile{
			{Name: currentProfile, EndpointPickerConfig: in.Scenario.Router.EndpointPickerConfig},
			{Name: proposedProfile, EndpointPickerConfig: in.Proposal.EndpointPickerConfig},
		},
	}}
	out.Baseline = &v1alpha1.Baseline{Parameters: []v1alpha1.Assignment{{Name: configuration, Value: currentProfile}}}
	out.Gates = slices.Clone(in.Gates)
	for i := range out.Gates {
		if g := &out.Gates[i]; g.Subject == "" {
			g.Subject, g.Point = v1alpha1.GateOfPoint, proposedPoint
		}
	}
	if len(in.Objectives) == 0 {
		out.Objectives = objectivesOf(in.Gates)
	}
	return &out
}

// objectivesOf are the metrics of gates, each once, in the direction in which it
// is easier to pass.
func objectivesOf(gates []v1alpha1.Gate) []v1alpha1.Objective {
	var objectives []v1alpha1.Objective
	for _, g := range gates {
		o := v1alpha1.Objective{Metric: g.Metric, Direction: v1alpha1.Minimize}
		if g.Operator == v1alpha1.AtLeast {
			o.Direction = v1alpha1.Maximize
		}
		known := slices.ContainsFunc(objectives, func(p v1alpha1.Objective) bool { return p.Metric == o.Metric })
		if !known && len(objectives) < maxObjectives {
			objectives = append(objectives, o)
		}
	}
	return objectives
}

// maxObjectives is how many the schema allows.
const maxObjectives = 8

// Where the two configurations are once a proposal is spelled out.
const (
	spelledBaseline = "spec.parameters[0].profiles[0]"
	spelledProposal = "spec.parameters[0].profiles[1]"
)

// asWritten has errors about what a proposal is spelled out with name the fields
// that the user wrote.
func asWritten(errs field.ErrorList) field.ErrorList {
	for _, e := range errs {
		for spelled, written := range map[string]string{
			spelledBaseline: "spec.scenario.router",
			spelledProposal: "spec.proposal",
		} {
			if rest, is := strings.CutPrefix(e.Field, spelled); is {
				e.Field = written + rest
			}
		}
	}
	return errs
}

// exceptObjectives leaves out the errors about objectives that nobody wrote: those
// of the gates that they were made of say the same.
func exceptObjectives(errs field.ErrorList) field.ErrorList {
	return slices.DeleteFunc(errs, func(e *field.Error) bool { return strings.HasPrefix(e.Field, "spec.objectives") })
}

// findingsAsWritten does for findings what asWritten does for errors. Those that the
// linter has about the configuration that is replaced are there already, as the
// scenario's.
func findingsAsWritten(findings []Finding) []Finding {
	var all []Finding
	for _, f := range findings {
		if strings.HasPrefix(f.Path, spelledBaseline+".") {
			continue
		}
		if f.Path == spelledBaseline {
			f.Path = "spec.scenario.router"
		}
		if rest, is := strings.CutPrefix(f.Path, spelledProposal); is {
			f.Path = "spec.proposal" + rest
		}
		all = append(all, f)
	}
	return all
}

// warningsAsWritten does it for warnings, which begin with a path.
func warningsAsWritten(warnings []string) []string {
	var all []string
	for _, text := range warnings {
		if strings.HasPrefix(text, spelledBaseline) {
			continue
		}
		if rest, is := strings.CutPrefix(text, spelledProposal); is {
			text = "spec.proposal" + rest
		}
		all = append(all, text)
	}
	return all
}

// toRollOut is the ID of the point that may be rolled out: the proposal, or else the
// best one. It is false where no point has all of its results.
func (s *Study) toRollOut() (int, bool, error) {
	best, ok, err := s.Best()
	if err != nil || !ok || !s.plan.Proposal {
		return best, ok, err
	}
	at := slices.IndexFunc(s.points, func(p Point) bool { return p.is(proposedPoint) })
	return at, at >= 0, nil
}
