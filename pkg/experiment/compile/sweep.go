// SPDX-License-Identifier: Apache-2.0

package compile

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/setup"
	"windtunnel.dev/windtunnel/pkg/spelling"
)

// parameters resolves the parameters' paths and tries their values.
func (c *compiler) parameters(in []v1alpha1.Parameter, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i := range in {
		p, es := c.parameter(in[i], path.Index(i))
		errs = append(errs, es...)
		c.plan.Parameters = append(c.plan.Parameters, p)
	}
	if errs = append(errs, c.samePaths(path)...); len(errs) > 0 {
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
			case p.IsWhole() && q.IsWhole() && (p.Within(q) || q.Within(p)):
				errs = append(errs, field.Invalid(path.Index(i).Child("path"), p.Path, fmt.Sprintf(
					"parameter %s replaces %s, and one would overwrite the other: state each profile as an alternative", q.Name, q.Path)))
			}
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
	for i := range c.plan.Parameters {
		p := &c.plan.Parameters[i]
		if !p.ExistsIn(&v) {
			continue
		}
		if err := p.Bind(v.Scenario); err != nil {
			errs = append(errs, field.Invalid(path.Index(i).Child("path"), p.Path, within+err.Error()))
			continue
		}
		errs = append(errs, p.Canonical(path.Index(i))...)
		errs = append(errs, c.values(p, v.Scenario, within, path.Index(i))...)
	}
	return errs
}

// inPart has errors about a scenario with a part of a parameter's name the field of the
// part, at path; those about something else name the part itself.
func (c *compiler) inPart(errs field.ErrorList, p *experiment.Parameter, name string, path *field.Path) field.ErrorList {
	router := experiment.RouterField(c.plan.Scenario, p.RouterModel(), nil).String()
	for _, e := range errs {
		rest, within := strings.CutPrefix(strings.TrimPrefix(e.Field, "spec.scenario."), router+".")
		if p.Alternatives != nil && within {
			e.Field = path.Child("router").String() + "." + rest
			continue
		}
		return field.ErrorList{field.Invalid(path, name, e.Error())}
	}
	return errs
}

// values tries each value that stands for others in a scenario. Whole parts are
// variants of their own.
func (c *compiler) values(p *experiment.Parameter, base experiment.Tree, within string, path *field.Path) field.ErrorList {
	if p.IsWhole() {
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
		scenario := experiment.CloneTree(base).(experiment.Tree)
		if err := p.Set(scenario, value); err != nil {
			errs = append(errs, field.Invalid(at, value, within+err.Error()))
			continue
		}
		for _, e := range c.checkValue(scenario) {
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
// runs, at about a millisecond each, and maxReported how many are told.
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
			value := in[at].Value
			if canonical, err := p.ValueKind.Canonical(value); err == nil && !p.IsWhole() {
				value = canonical
			}
			values[p.Name] = value
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

// baselineScenario checks the scenario that the baseline's values make.
func (c *compiler) baselineScenario(in *v1alpha1.Baseline, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	values := map[string]string{}
	for _, a := range c.plan.Baseline {
		values[a.Name] = a.Value
	}
	scenario := experiment.CloneTree(c.plan.Scenario).(experiment.Tree)
	for _, i := range experiment.InOrder(c.plan.Parameters) {
		p := &c.plan.Parameters[i]
		value, exists := values[p.Name]
		if !exists {
			continue
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

// checkCriteria checks that everything that the plan asks can be measured, and writes the
// metrics' texts the one way that their equals are written too.
func (c *compiler) checkCriteria(in *v1alpha1.Scenario, spec *field.Path) field.ErrorList {
	criteria, errs := c.plan.Criteria(spec)
	if len(errs) > 0 {
		return errs
	}
	for _, u := range criteria.Uses {
		for _, metric := range u.Measure.Uses() {
			errs = append(errs, checkNeeds(metric, in, u.Path)...)
			errs = append(errs, c.checkSelector(metric.Selector, in, u.Path)...)
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
	return errs
}

// checkNeeds checks that the scenario states what a metric is made of.
func checkNeeds(m result.Metric, in *v1alpha1.Scenario, path *field.Path) field.ErrorList {
	unpriced := func(p v1alpha1.Pool) bool { return p.CostPerReplicaHour == "" }
	_, tenants, _ := labels(in)
	switch {
	case m.NeedsTargets() && len(in.SLOs) == 0 && !slices.ContainsFunc(in.Workload.Tenants, func(t v1alpha1.Tenant) bool { return t.SLO != nil }):
		return field.ErrorList{field.Invalid(path, m.String(), "needs latency targets; state them in spec.scenario.slos")}
	case m.NeedsPrices() && slices.ContainsFunc(in.Pools, unpriced):
		return field.ErrorList{field.Invalid(path, m.String(), "needs the price of every pool; state it in spec.scenario.pools[].costPerReplicaHour")}
	case m.NeedsTenants() && len(tenants) < 2:
		return field.ErrorList{field.Invalid(path, m.String(), "compares tenants, and the workload has only one")}
	}
	if has, what := needs(m.Needs()); has != nil && !has(in) {
		return field.ErrorList{field.Invalid(path, m.String(), "needs "+what)}
	}
	return nil
}

// needs returns what tells whether a scenario has what a metric needs, and how
// the user gives it; nil where it needs nothing.
func needs(n result.Need) (has func(*v1alpha1.Scenario) bool, what string) {
	tier := func(kinds ...v1alpha1.TierKind) func(*v1alpha1.Scenario) bool {
		return anyPool(func(p *v1alpha1.Pool) bool {
			return slices.ContainsFunc(p.KVCache.Tiers, func(t v1alpha1.Tier) bool { return slices.Contains(kinds, t.Kind) })
		})
	}
	tiers, handsOver := tier(v1alpha1.CPUTier, v1alpha1.StorageTier), anyPool(setup.Prefills)
	switch n {
	case result.NeedsTiers:
		return tiers, "a tier; state one in spec.scenario.pools[].kvCache.tiers"
	case result.NeedsCPUTier:
		return tier(v1alpha1.CPUTier), "a tier of kind CPU; state it in spec.scenario.pools[].kvCache.tiers"
	case result.NeedsStorageTier:
		return tier(v1alpha1.StorageTier), "a tier of kind Storage; state it in spec.scenario.pools[].kvCache.tiers"
	case result.NeedsHandoffs:
		return handsOver, "pools that hand KV over; state their roles in spec.scenario.pools[].role"
	case result.NeedsTransfers:
		return func(in *v1alpha1.Scenario) bool { return tiers(in) || handsOver(in) },
			"tiers or pools that hand KV over; state them in spec.scenario.pools[]"
	case result.NeedsStability:
		return anyPool(func(p *v1alpha1.Pool) bool { return p.KVCache.Stability != nil }),
			"a controller; state it in spec.scenario.pools[].kvCache.stability"
	case result.NeedsDisruptions:
		return func(in *v1alpha1.Scenario) bool { return len(in.Disruptions) > 0 }, "disruptions; state them in spec.scenario.disruptions"
	case result.NeedsTimeouts:
		return func(in *v1alpha1.Scenario) bool { return setup.TimesOut(&in.Workload) }, "a timeout; state it in spec.scenario.workload.clients[].timeout or spec.scenario.workload.trace.timeout"
	case result.NeedsRetries:
		return func(in *v1alpha1.Scenario) bool { return setup.RetriesRequests(&in.Workload) }, "a retry; state it in spec.scenario.workload.clients[].retry or spec.scenario.workload.trace.retry"
	case result.NeedsWarmUpRule:
		return func(in *v1alpha1.Scenario) bool { return in.Horizon.WarmupRule != "" }, "a rule; state it in spec.scenario.horizon.warmupRule"
	default:
		// Flow control is the EPP's, which a parameter may switch on.
		return nil, ""
	}
}

func anyPool(is func(*v1alpha1.Pool) bool) func(*v1alpha1.Scenario) bool {
	return func(in *v1alpha1.Scenario) bool {
		return slices.ContainsFunc(in.Pools, func(p v1alpha1.Pool) bool { return is(&p) })
	}
}

// checkSelector checks that a metric selects something that the scenario has.
func (c *compiler) checkSelector(s result.Selector, in *v1alpha1.Scenario, path *field.Path) field.ErrorList {
	if s.Workload != "" && len(c.plan.Workloads) == 0 {
		return field.ErrorList{field.Invalid(path, s.Workload, "only a PolicySweep with spec.workloads has metrics by workload")}
	}
	var workloads []string
	for _, w := range c.plan.Workloads {
		workloads = append(workloads, w.Name)
	}
	pools, tenants, classes := labels(in)
	var models []string
	for i := range in.Routers {
		models = append(models, in.Routers[i].Model)
	}
	var errs field.ErrorList
	for _, label := range []struct {
		of, name, value string
		known           []string
	}{
		{"scenario", "pool", s.Pool, pools}, {"scenario", "tenant", s.Tenant, tenants}, {"scenario", "class", s.Class, classes},
		{"scenario", "model", s.Model, models}, {"sweep", "workload", s.Workload, workloads},
	} {
		if label.value != "" && len(label.known) == 0 {
			errs = append(errs, field.Invalid(path, label.value, "the scenario has one router: a selector by model needs spec.scenario.routers"))
			continue
		}
		if label.value != "" && !slices.Contains(label.known, label.value) {
			errs = append(errs, field.Invalid(path, label.value,
				fmt.Sprintf("the %s has no such %s; there are %s", label.of, label.name, spelling.Quote(label.known))))
		}
	}
	return errs
}

// labels are the names that a scenario's results are grouped by, each once.
func labels(in *v1alpha1.Scenario) (pools, tenants, classes []string) {
	for _, p := range in.Pools {
		pools = append(pools, p.Name)
	}
	for _, client := range setup.WithTenants(in).Workload.Clients {
		tenants, classes = append(tenants, client.Tenant), append(classes, client.Class)
	}
	for _, t := range setup.Traces(&in.Workload, nil) {
		tenants, classes = append(tenants, t.Tenant), append(classes, t.Class)
	}
	once := func(names []string) []string {
		slices.Sort(names)
		return slices.Compact(names)
	}
	return once(pools), once(tenants), once(classes)
}
