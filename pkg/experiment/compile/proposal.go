// SPDX-License-Identifier: Apache-2.0

package compile

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/result"
)

// spelledOut returns a sweep's spec with what it leaves out. A proposal stands for
// two profiles: the scenario's own configuration, which is the baseline, and the
// proposed one, about which the gates are. A rollout stands for a parameter. A search for capacities without
// objectives shows the metrics of its constraints.
func spelledOut(in *v1alpha1.PolicySweepSpec) *v1alpha1.PolicySweepSpec {
	out := *in
	if in.Search.Algorithm == v1alpha1.CapacitySearch && len(in.Objectives) == 0 {
		for _, c := range in.Constraints {
			out.Objectives = withObjective(out.Objectives, c.Metric, c.Operator)
		}
	}
	if in.Rollout != nil {
		spellRollout(&out)
	}
	if in.Proposal == nil {
		return &out
	}
	out.Parameters = []v1alpha1.Parameter{{
		Name: experiment.Configuration,
		Path: experiment.Render(experiment.PickerConfigPath("")),
		Profiles: []v1alpha1.Profile{
			{Name: experiment.CurrentProfile, EndpointPickerConfig: in.Scenario.Router.EndpointPickerConfig},
			{Name: experiment.ProposedProfile, EndpointPickerConfig: in.Proposal.EndpointPickerConfig},
		},
	}}
	out.Baseline = &v1alpha1.Baseline{Parameters: []v1alpha1.Assignment{{Name: experiment.Configuration, Value: experiment.CurrentProfile}}}
	out.Gates = slices.Clone(in.Gates)
	for i := range out.Gates {
		if g := &out.Gates[i]; g.Subject == "" {
			g.Subject, g.Point = v1alpha1.GateOfPoint, experiment.ProposedPoint
		}
	}
	if len(in.Objectives) == 0 {
		for _, g := range in.Gates {
			out.Objectives = withObjective(out.Objectives, g.Metric, g.Operator)
		}
	}
	return &out
}

// withObjective adds the metric of a bound, once, in the direction in which it is
// easier to keep to.
func withObjective(objectives []v1alpha1.Objective, metric string, operator v1alpha1.Operator) []v1alpha1.Objective {
	o := v1alpha1.Objective{Metric: metric, Direction: v1alpha1.Minimize}
	if operator == v1alpha1.AtLeast {
		o.Direction = v1alpha1.Maximize
	}
	known := slices.ContainsFunc(objectives, func(p v1alpha1.Objective) bool { return oneSpelling(p.Metric) == oneSpelling(metric) })
	if known || len(objectives) == maxObjectives {
		return objectives
	}
	return append(objectives, o)
}

// oneSpelling is the canonical spelling of a metric: selectors may name their labels in any
// order. What is no metric of the registry, such as a derived one, stays.
func oneSpelling(metric string) string {
	m, errs := result.ParseMetric(metric, nil)
	if len(errs) > 0 {
		return metric
	}
	return m.String()
}

// maxObjectives is how many the schema allows.
const maxObjectives = 8

// Where the two configurations are once a proposal is spelled out.
const (
	spelledBaseline = "spec.parameters[0].profiles[0]"
	spelledProposal = "spec.parameters[0].profiles[1]"
)

// spelledField is a field that a proposal or a rollout is spelled out with, and the one that the user wrote.
type spelledField struct{ spelled, written string }

var proposalFields = []spelledField{{spelledBaseline, "spec.scenario.router"}, {spelledProposal, "spec.proposal"}}

// asWritten has errors about what is spelled out name the fields that the user wrote: the first of fields counts.
func asWritten(errs field.ErrorList, fields []spelledField) field.ErrorList {
	for _, e := range errs {
		for _, f := range fields {
			if rest, is := strings.CutPrefix(e.Field, f.spelled); is {
				e.Field = f.written + rest
				break
			}
		}
	}
	return errs
}

// exceptObjectives leaves out the errors about objectives that the user did not write: those
// of the gates that they were made of say the same.
func exceptObjectives(errs field.ErrorList) field.ErrorList {
	return slices.DeleteFunc(errs, func(e *field.Error) bool { return strings.HasPrefix(e.Field, "spec.objectives") })
}

// findingsAsWritten does for findings what asWritten does for errors. Those that the
// linter has about the configuration that is replaced are there already, as the
// scenario's.
func findingsAsWritten(findings []experiment.Finding) []experiment.Finding {
	var all []experiment.Finding
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
