// SPDX-License-Identifier: Apache-2.0

package compile

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/spelling"
)

// checkCriteria checks that everything that the plan asks can be measured, and writes the
// metrics' texts the one way that their equals are written too.
func (c *compiler) checkCriteria(in *v1alpha1.Scenario, spec *field.Path) field.ErrorList {
	criteria, errs := c.plan.Criteria(spec)
	if len(errs) > 0 {
		return errs
	}
	for _, u := range criteria.Uses {
		for _, metric := range u.Measure.Uses() {
			errs = append(errs, c.checkMetric(metric, in, u.Path)...)
		}
	}
	for i, o := range criteria.Objectives {
		if slices.ContainsFunc(criteria.Objectives[:i], func(p result.Objective) bool { return p.Measure == o.Measure }) {
			errs = append(errs, field.Duplicate(spec.Child("objectives").Index(i).Child("metric"), o.Measure.String()))
		}
		c.plan.Objectives[i].Metric = o.Measure.String()
	}
	if p := c.plan.Precision; p != nil {
		p.Metric = criteria.Precision.String()
	}
	return withoutRepeated(errs)
}

// withoutRepeated returns errors, each once. What a metric lacks under a workload, the same
// metric of that workload lacks too.
func withoutRepeated(errs field.ErrorList) field.ErrorList {
	var once field.ErrorList
	for _, e := range errs {
		if !slices.ContainsFunc(once, func(other *field.Error) bool { return e.Error() == other.Error() }) {
			once = append(once, e)
		}
	}
	return once
}

// checkMetric checks that a metric can be measured: in the scenario, and under each workload
// that it is of.
func (c *compiler) checkMetric(m result.Metric, in *v1alpha1.Scenario, path *field.Path) field.ErrorList {
	of, _ := m.Under(m.Selector.Workload)
	errs := append(c.checkWorkload(m, path), c.measured(in, "").check(of, path)...)
	if len(errs) > 0 {
		return errs
	}
	for _, w := range c.plan.Workloads {
		if _, wanted := m.Under(w.Name); wanted {
			errs = append(errs, c.measured(selection(in, w), w.Name).check(of, path)...)
		}
	}
	return errs
}

// checkWorkload checks that the sweep has the workload that a metric names.
func (c *compiler) checkWorkload(m result.Metric, path *field.Path) field.ErrorList {
	named := m.Selector.Workload
	if named != "" && len(c.plan.Workloads) == 0 {
		return field.ErrorList{field.Invalid(path, named, "only a PolicySweep with spec.workloads has metrics by workload")}
	}
	var names []string
	for _, w := range c.plan.Workloads {
		names = append(names, w.Name)
	}
	if named != "" && !slices.Contains(names, named) {
		return field.ErrorList{field.Invalid(path, named, "the sweep has no such workload; there are "+spelling.Quote(names))}
	}
	return nil
}

// selection returns a scenario with the sources of a workload alone.
func selection(in *v1alpha1.Scenario, w experiment.Workload) *v1alpha1.Scenario {
	out := *in
	has := func(name string) bool { return slices.Contains(w.Sources, name) }
	out.Workload.Clients = slices.DeleteFunc(slices.Clone(in.Workload.Clients), func(c v1alpha1.Client) bool { return !has(c.Name) })
	out.Workload.Traces = slices.DeleteFunc(slices.Clone(in.Workload.Traces), func(t v1alpha1.NamedTrace) bool { return !has(t.Name) })
	if !has(experiment.UnnamedTrace) {
		out.Workload.Trace = nil
	}
	return &out
}
