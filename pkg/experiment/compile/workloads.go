// SPDX-License-Identifier: Apache-2.0

package compile

import (
	"cmp"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/setup"
	"windtunnel.dev/windtunnel/pkg/spelling"
)

// workloads takes over the workloads of a sweep, and checks that the scenario has their
// sources and can be simulated under each of them.
func (c *compiler) workloads(in []v1alpha1.SweepWorkload, scenario *v1alpha1.Scenario, path *field.Path) field.ErrorList {
	if len(in) == 0 {
		return nil
	}
	known, errs := sources(&scenario.Workload)
	chosen := map[string]bool{}
	for i, w := range in {
		for j, source := range w.Sources {
			if !slices.Contains(known, source) {
				errs = append(errs, field.Invalid(path.Index(i).Child("sources").Index(j), source,
					"the scenario's workload has no such client or trace; there are "+spelling.Quote(known)))
			}
			chosen[source] = true
		}
		c.plan.Workloads = append(c.plan.Workloads, experiment.Workload{Name: w.Name, Sources: slices.Sorted(slices.Values(w.Sources))})
	}
	if len(errs) > 0 {
		return errs
	}
	for _, source := range known {
		if !chosen[source] {
			c.plan.Warnings = append(c.plan.Warnings, fmt.Sprintf("%s: no workload has the source %q, so it sends no requests", path, source))
		}
	}
	for i, w := range c.plan.Workloads {
		for _, e := range c.checkSelection(w.Name) {
			errs = append(errs, field.Invalid(path.Index(i), w.Name, fmt.Sprintf("makes the scenario invalid: %s", e)))
		}
	}
	return errs
}

// sources are the names of the clients and traces of a workload. Two of one name are
// errors, since a selection by name cannot tell them apart.
func sources(in *v1alpha1.Workload) ([]string, field.ErrorList) {
	var names []string
	var errs field.ErrorList
	add := func(name string, at *field.Path) {
		if slices.Contains(names, name) {
			errs = append(errs, field.Duplicate(at, name))
		}
		names = append(names, name)
	}
	path := field.NewPath("spec", "scenario", "workload")
	for i := range in.Clients {
		add(in.Clients[i].Name, path.Child("clients").Index(i).Child("name"))
	}
	for _, t := range setup.Traces(in, path) {
		add(cmp.Or(t.Name, experiment.UnnamedTrace), t.Path.Child("name"))
	}
	return names, errs
}
