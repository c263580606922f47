// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"context"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/result"
)

// NewSweepScenario is [NewScenario] for the scenario of a sweep. Its objectives and constraints
// score a policy where the caller has no objectives: the bound of a constraint is the target.
// What the sweep varies and how it searches is not used: the policy is the point.
func NewSweepScenario(ctx context.Context, sweep *v1alpha1.PolicySweep, model string, objectives []Objective, inputs compile.Inputs) (*Scenario, field.ErrorList, error) {
	at := field.NewPath("spec")
	var errs field.ErrorList
	if len(sweep.Spec.Workloads) > 0 {
		errs = append(errs, field.Forbidden(at.Child("workloads"), "a policy is evaluated under all sources of the workload together"))
	}
	if sweep.Spec.Proposal != nil {
		errs = append(errs, field.Forbidden(at.Child("proposal"), "a policy takes the place of the router: there is no other proposal"))
	}
	var paths []*field.Path
	if len(objectives) == 0 {
		objectives, paths = statedBySweep(&sweep.Spec, at)
	}
	if len(errs) > 0 {
		return nil, errs, nil
	}
	run := &v1alpha1.SimulationRun{ObjectMeta: sweep.ObjectMeta, Spec: v1alpha1.SimulationRunSpec{
		Scenario: sweep.Spec.Scenario, Replications: sweep.Spec.Replications, Metrics: sweep.Spec.Metrics,
	}}
	s, errs, err := NewScenario(ctx, run, model, objectives, inputs)
	return s, atPaths(errs, paths), err
}

// statedBySweep are the objectives of a sweep, each with the bound of the constraint on the
// same metric as its target, and then the other constraints. Each has the path of its field.
func statedBySweep(spec *v1alpha1.PolicySweepSpec, at *field.Path) (all []Objective, paths []*field.Path) {
	bounded := map[int]bool{} // constraints that are the target of an objective
	for i := range spec.Objectives {
		o := Objective{Metric: spec.Objectives[i].Metric, Weight: 1, Direction: result.Direction(spec.Objectives[i].Direction)}
		for k := range spec.Constraints {
			if c := objectiveOfConstraint(&spec.Constraints[k]); c.Metric == o.Metric && c.Direction == o.Direction && o.Target == "" {
				o.Target, bounded[k] = c.Target, true
			}
		}
		all, paths = append(all, o), append(paths, at.Child("objectives").Index(i))
	}
	for k := range spec.Constraints {
		if !bounded[k] {
			all, paths = append(all, objectiveOfConstraint(&spec.Constraints[k])), append(paths, at.Child("constraints").Index(k))
		}
	}
	return all, paths
}

func objectiveOfConstraint(c *v1alpha1.Constraint) Objective {
	return objectiveOf(&v1alpha1.RunGate{Metric: c.Metric, Operator: c.Operator, Value: c.Value})
}

// atPaths moves errors about objectives to the fields that state these.
func atPaths(errs field.ErrorList, paths []*field.Path) field.ErrorList {
	for _, e := range errs {
		rest, is := strings.CutPrefix(e.Field, "objectives[")
		number, rest, _ := strings.Cut(rest, "]")
		if i, err := strconv.Atoi(number); is && err == nil && i < len(paths) {
			e.Field = paths[i].String() + rest
		}
	}
	return errs
}
