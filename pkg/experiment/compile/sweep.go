// SPDX-License-Identifier: Apache-2.0

package compile

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
)

// parameters resolves the parameters' paths and tries their values.
func (c *compiler) parameters(in []v1alpha1.Parameter, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i := range in {
		p, es := c.parameter(in[i], path.Index(i))
		errs = append(errs, es...)
		c.plan.Parameters = append(c.plan.Parameters, p)
	}
	errs = append(errs, c.overwrittenSettings()...)
	errs = append(errs, c.samePaths(path)...)
	if errs = append(errs, c.evolving(path)...); len(errs) > 0 {
		return errs
	}
	for _, v := range c.plan.Variants() {
		if errs := c.variant(v, path); len(errs) > 0 {
			return errs
		}
	}
	return nil
}

// samePaths reports parameters that would overwrite each other: of the same path, or
// within a part that another one replaces as it replaces a part itself.
func (c *compiler) samePaths(path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i := range c.plan.Parameters {
		p := &c.plan.Parameters[i]
		for j := range c.plan.Parameters[:i] {
			q := &c.plan.Parameters[j]
			switch {
			case p.Excludes(q):
			case p.Path == q.Path:
				errs = append(errs, field.Duplicate(path.Index(i).Child("path"), p.Path))
			case !p.IsWhole() || !q.IsWhole():
			case q.Within(p):
				errs = append(errs, overwritten(p, q, path.Index(i), path.Index(j))...)
			case p.Within(q):
				errs = append(errs, overwritten(q, p, path.Index(j), path.Index(i))...)
			}
		}
	}
	return errs
}

// overwritten reports what is lost of the parts of one parameter, since those of another
// one, within them, take its place. Admissions go with all routers that state none.
func overwritten(outer, inner *experiment.Parameter, outerPath, innerPath *field.Path) field.ErrorList {
	if inner.PartKind() != experiment.AdmissionPart {
		return field.ErrorList{field.Invalid(innerPath.Child("path"), inner.Path, fmt.Sprintf(
			"parameter %s replaces %s, and one would overwrite the other: state each profile as an alternative", outer.Name, outer.Path))}
	}
	var errs field.ErrorList
	for i := range outer.Alternatives {
		a := &outer.Alternatives[i]
		if when := inner.When; when != nil && when.Parameter == outer.Name && !slices.Contains(when.Values, a.Name) {
			continue
		}
		if a.Router["admission"] != nil {
			errs = append(errs, field.Forbidden(outerPath.Child("alternatives").Index(i).Child("router", "admission"), fmt.Sprintf(
				"parameter %s replaces it: state the admission there, with a when that names this router", inner.Name)))
		}
	}
	return errs
}

// variant checks one variant of the base, and every parameter in it.
func (c *compiler) variant(v experiment.Variant, path *field.Path) field.ErrorList {
	within := ""
	if v.Choice != "" {
		whole := &c.plan.Parameters[v.Place]
		one, list := whole.Wording()
		within = fmt.Sprintf("in %s %q: ", one, v.Choice)
		if errs := c.checkValue(v.Scenario); len(errs) > 0 {
			return c.inPart(errs, whole, v.Choice, path.Index(v.Place).Child(list).Index(v.Index))
		}
	}
	var errs field.ErrorList
	bound := make([]bool, len(c.plan.Parameters))
	for i := range c.plan.Parameters {
		p := &c.plan.Parameters[i]
		if !p.ExistsIn(&v) {
			continue
		}
		if err := p.Bind(v.Scenario); err != nil {
			errs = append(errs, field.Invalid(path.Index(i).Child("path"), p.Path, within+err.Error()))
			continue
		}
		bound[i] = true
	}
	for i := range c.plan.Parameters {
		if bound[i] {
			p := &c.plan.Parameters[i]
			errs = append(errs, p.Canonical(path.Index(i))...)
			errs = append(errs, c.values(p, &v, bound, within, path.Index(i))...)
		}
	}
	return errs
}

// inPart has errors about a scenario with a part of a parameter's name the field of the
// part, at path; those about something else name the part itself.
func (c *compiler) inPart(errs field.ErrorList, p *experiment.Parameter, name string, path *field.Path) field.ErrorList {
	part := p.PartField(c.plan.Scenario).String()
	for _, e := range errs {
		rest, within := strings.CutPrefix(strings.TrimPrefix(e.Field, "spec.scenario."), part)
		if p.Alternatives != nil && within && (rest == "" || rest[0] == '.') {
			e.Field = path.Child(string(p.PartKind())).String() + rest
			continue
		}
		return field.ErrorList{field.Invalid(path, name, e.Error())}
	}
	return errs
}

// values tries each value that stands for others in a variant. Whole parts are variants of
// their own.
func (c *compiler) values(p *experiment.Parameter, v *experiment.Variant, bound []bool, within string, path *field.Path) field.ErrorList {
	if p.IsWhole() || p.Evolve != nil {
		return nil
	}
	if p.Range != nil && !p.ValueKind.Numeric() {
		return field.ErrorList{field.Invalid(path.Child("range"), p.Path, fmt.Sprintf("the path leads to %s; list its values", p.ValueKind))}
	}
	var errs field.ErrorList
	for i, value := range p.Corners() {
		at := path.Child("values").Index(i)
		if c.interrupted(at) {
			break
		}
		if p.Range != nil {
			at = path.Child("range", [...]string{"min", "max"}[i])
		}
		t := newTrial(c.plan, v)
		if err := t.try(p, value); err != nil {
			errs = append(errs, field.Invalid(at, value, within+err.Error()))
			continue
		}
		faults := c.checkValue(t.scenario)
		if len(faults) > 0 && t.addDependents(bound) {
			faults = c.checkValue(t.scenario)
		}
		for _, e := range faults {
			errs = append(errs, field.Invalid(at, value, fmt.Sprintf("%smakes the scenario invalid: %s", within, e)))
		}
	}
	return errs
}

// points checks the search and the baseline.
func (c *compiler) points(baseline *v1alpha1.Baseline, spec *field.Path) field.ErrorList {
	if baseline != nil {
		if errs := c.baseline(baseline, spec.Child("baseline", "parameters")); len(errs) > 0 {
			return errs
		}
	}
	if errs := c.gatePoints(spec.Child("gates")); len(errs) > 0 {
		return errs
	}
	_, errs := c.plan.Algorithm(spec)
	if c.interrupted(spec.Child("parameters")) {
		return nil
	}
	if len(errs) > 0 {
		return errs
	}
	return c.checkPoints(spec.Child("parameters"))
}

// maxChecked bounds how many points are checked one by one before anything
// runs, at about a millisecond each, and maxReported how many errors are reported.
const (
	maxChecked  = 1000
	maxReported = 5
)

// checkPoints checks the scenarios of the first points: values that are right
// one by one may not go together. Where points may fail they are left to do so.
func (c *compiler) checkPoints(path *field.Path) field.ErrorList {
	if err := c.plan.Bind(); err != nil {
		return field.ErrorList{field.Invalid(path, "", err.Error())}
	}
	st, err := study.New(c.plan)
	if c.interrupted(path) {
		return nil
	}
	if err != nil {
		return field.ErrorList{field.Invalid(path, "", err.Error())}
	}
	if c.plan.MaxFailed() > 0 {
		return nil
	}
	var errs field.ErrorList
	for _, point := range st.Points() {
		if point.ID == maxChecked || len(errs) == maxReported || c.interrupted(path) {
			break
		}
		scenario, err := c.plan.ScenarioAt(point, 1)
		if err != nil {
			errs = append(errs, field.Invalid(path, point.String(), err.Error()))
			continue
		}
		for _, e := range c.checkValue(scenario) {
			errs = append(errs, field.Invalid(path, point.String(), fmt.Sprintf("this combination makes the scenario invalid: %s", e)))
			break
		}
	}
	return errs
}

// baseline checks the baseline and the scenario that its values make.
func (c *compiler) baseline(in *v1alpha1.Baseline, path *field.Path) field.ErrorList {
	values, errs := c.point(in.Parameters, "the baseline", path)
	if len(errs) > 0 {
		return errs
	}
	c.plan.Baseline = values
	return c.baselineScenario(in, path)
}

// gatePoints checks the points that gates name.
func (c *compiler) gatePoints(path *field.Path) field.ErrorList {
	var errs field.ErrorList
	c.plan.Gates = slices.Clone(c.plan.Gates)
	for i := range c.plan.Gates {
		if g := &c.plan.Gates[i]; g.Subject == v1alpha1.GateOfPoint {
			values, es := c.point(g.Point, "this point", path.Index(i).Child("point"))
			g.Point, errs = values, append(errs, es...)
		}
	}
	return errs
}

// point checks that every parameter that exists at a point has one value there,
// and returns the values as they are written in results. what names the point in
// errors.
func (c *compiler) point(in []v1alpha1.Assignment, what string, path *field.Path) ([]v1alpha1.Assignment, field.ErrorList) {
	var errs field.ErrorList
	var point []v1alpha1.Assignment
	given := map[string]int{}
	for i, a := range in {
		given[a.Name] = i
	}
	values := map[string]string{}
	for i := range c.plan.Parameters {
		p := &c.plan.Parameters[i]
		at, ok := given[p.Name]
		exists := p.When == nil || slices.Contains(p.When.Values, values[p.When.Parameter])
		switch {
		case ok && exists:
			value, es := canonicalValue(p, in[at].Value, path.Index(at).Child("value"))
			values[p.Name], errs = value, append(errs, es...)
			point = append(point, v1alpha1.Assignment{Name: p.Name, Value: value})
		case ok:
			errs = append(errs, field.Invalid(path.Index(at), p.Name, fmt.Sprintf("the parameter does not exist at %s, by its when", what)))
		case exists:
			errs = append(errs, field.Required(path, fmt.Sprintf("must give parameter %q a value", p.Name)))
		}
		delete(given, p.Name)
	}
	for i, a := range in {
		if _, left := given[a.Name]; left {
			errs = append(errs, field.Invalid(path.Index(i).Child("name"), a.Name, "there is no such parameter"))
		}
	}
	return point, errs
}

// canonicalValue is a value of a parameter as results write it. Whether the parameter takes
// the value is for others to say, but for the one name that a policy has beforehand.
func canonicalValue(p *experiment.Parameter, value string, path *field.Path) (string, field.ErrorList) {
	switch {
	case p.Evolve != nil && value != experiment.TheScenarios:
		return value, field.ErrorList{field.Invalid(path, value, "must be scenario: the policy that the others evolve from")}
	case p.Evolve != nil:
		return experiment.PolicyValue(p.First), nil
	case p.IsWhole():
		return value, nil
	}
	if canonical, err := p.ValueKind.Canonical(value); err == nil {
		value = canonical
	}
	return value, nil
}

// baselineScenario checks the scenario that the baseline's values make.
func (c *compiler) baselineScenario(in *v1alpha1.Baseline, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	values := map[string]string{}
	for _, a := range c.plan.Baseline {
		values[a.Name] = a.Value
	}
	scenario := maps.Clone(c.plan.Scenario)
	for _, i := range experiment.InOrder(c.plan.Parameters) {
		p := &c.plan.Parameters[i]
		value, exists := values[p.Name]
		if !exists {
			continue
		}
		if p.Evolve != nil {
			continue // the scenario has its own policy
		}
		if err := p.Set(scenario, value); err != nil {
			at := slices.IndexFunc(in.Parameters, func(a v1alpha1.Assignment) bool { return a.Name == p.Name })
			errs = append(errs, field.Invalid(path.Index(at).Child("value"), value, err.Error()))
		}
	}
	if len(errs) > 0 {
		return errs
	}
	for _, e := range c.checkValue(scenario) {
		errs = append(errs, field.Invalid(path, in.Parameters, fmt.Sprintf("make the scenario invalid: %s", e)))
	}
	return errs
}
