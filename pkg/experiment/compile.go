// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/policy/epp"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/search"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// Compiled is a plan and the trace that it replays; Trace is nil where the
// workload is synthetic.
type Compiled struct {
	Plan  *Plan
	Trace *workload.Trace
}

// CompileRun compiles a SimulationRun that the schema has defaulted and
// validated. The errors' paths are those of the object; the third value is an
// error of the outside world, after which it is worth trying again.
func CompileRun(ctx context.Context, run *v1alpha1.SimulationRun, inputs Inputs) (*Compiled, field.ErrorList, error) {
	c := newCompiler(ctx, inputs)
	spec := field.NewPath("spec")
	errs := c.scenario(&run.Spec.Scenario, spec.Child("scenario"))
	c.plan.Seeds = seeds(run.Spec.Replications)
	return c.finish(errs)
}

// CompileSweep is CompileRun for a PolicySweep.
func CompileSweep(ctx context.Context, sweep *v1alpha1.PolicySweep, inputs Inputs) (*Compiled, field.ErrorList, error) {
	c := newCompiler(ctx, inputs)
	spec := field.NewPath("spec")
	errs := c.scenario(&sweep.Spec.Scenario, spec.Child("scenario"))
	c.plan.Seeds = seeds(sweep.Spec.Replications)
	c.plan.Search = &sweep.Spec.Search
	if len(errs) == 0 {
		errs = append(errs, c.parameters(sweep.Spec.Parameters, spec.Child("parameters"))...)
	}
	if len(errs) == 0 {
		errs = append(errs, c.points(sweep.Spec.Baseline, spec)...)
	}
	errs = append(errs, c.objectives(&sweep.Spec, spec.Child("objectives"))...)
	return c.finish(errs)
}

// compiler gathers a plan.
type compiler struct {
	reader
	plan  *Plan
	trace *workload.Trace
}

func newCompiler(ctx context.Context, inputs Inputs) *compiler {
	return &compiler{
		reader: reader{ctx: ctx, inputs: inputs},
		plan:   &Plan{SchemaVersion: PlanSchemaVersion, EngineVersion: simulator.EngineVersion},
	}
}

func (c *compiler) finish(errs field.ErrorList) (*Compiled, field.ErrorList, error) {
	switch {
	case c.err != nil:
		return nil, nil, c.err
	case len(errs) > 0:
		return nil, errs, nil
	}
	if err := c.plan.expand(); err != nil {
		panic(fmt.Sprintf("experiment: a plan that was checked does not expand: %v", err))
	}
	return &Compiled{Plan: c.plan, Trace: c.trace}, nil, nil
}

func seeds(r v1alpha1.Replications) []int64 {
	if len(r.Seeds) > 0 {
		return r.Seeds
	}
	first, count := int64(42), int32(1)
	if r.Seed != nil {
		first = *r.Seed
	}
	if r.Count != nil {
		count = *r.Count
	}
	list := make([]int64, count)
	for i := range list {
		list[i] = first + int64(i)
	}
	return list
}

// scenario resolves the base scenario and checks that it can be simulated.
func (c *compiler) scenario(in *v1alpha1.Scenario, path *field.Path) field.ErrorList {
	router := path.Child("router", "endpointPickerConfig")
	config, errs := c.pickerConfig(in.Router.EndpointPickerConfig, router)
	if in.Workload.Trace != nil {
		errs = append(errs, c.readTrace(in.Workload.Trace, path.Child("workload", "trace"))...)
	}
	scenario := *in.DeepCopy()
	if t := scenario.Workload.Trace; t != nil {
		t.File, t.ConfigMapRef = nil, nil
	}
	root, err := toTree(scenario)
	if err != nil {
		panic(fmt.Sprintf("experiment: marshal scenario: %v", err))
	}
	if len(errs) > 0 {
		_, more := build(in, nil, c.trace, 0, path)
		return append(errs, more...)
	}
	if err := assign(root, pickerConfigPath, config); err != nil {
		panic(fmt.Sprintf("experiment: %v", err))
	}
	c.plan.Scenario = root
	return c.check(root, path)
}

// check reports what keeps a resolved scenario from being simulated.
func (c *compiler) check(scenario tree, path *field.Path) field.ErrorList {
	typed, config, errs := decodeScenario(scenario, path)
	if len(errs) > 0 {
		return errs
	}
	_, errs = build(typed, config, c.trace, 0, path)
	return errs
}

// pickerConfig reads an EPP configuration and returns it as a scenario's tree
// holds it: the EPP's document after defaulting, and the version.
func (c *compiler) pickerConfig(in v1alpha1.EndpointPickerConfig, path *field.Path) (tree, field.ErrorList) {
	if errs := epp.ValidateVersion(in.Version, path.Child(versionField)); len(errs) > 0 {
		return nil, errs
	}
	at := path.Child("inline")
	var text []byte
	if in.Inline != nil {
		text = []byte(*in.Inline)
	} else {
		at = path.Child("configMapRef")
		var errs field.ErrorList
		if text, errs = c.configMapKey(in.ConfigMapRef, at); len(errs) > 0 {
			return nil, errs
		}
		c.pin(in.ConfigMapRef, Digest(text))
	}
	config, errs := epp.Load(text, in.Version, at)
	if len(errs) > 0 {
		return nil, errs
	}
	c.plan.Warnings = append(c.plan.Warnings, warnings(config, at)...)
	document, err := toTree(config)
	if err != nil {
		panic(fmt.Sprintf("experiment: marshal EndpointPickerConfig: %v", err))
	}
	document[versionField] = in.Version
	return document, nil
}

func warnings(config *epp.Config, path *field.Path) []string {
	var texts []string
	for _, text := range config.Warnings() {
		texts = append(texts, fmt.Sprintf("%s: %s", path, text))
	}
	return texts
}

// pin records what was read from a ConfigMap, once.
func (c *compiler) pin(ref *v1alpha1.ConfigMapKeyReference, sha256 string) {
	name := fmt.Sprintf("ConfigMap/%s/%s", ref.Name, ref.Key)
	for _, known := range c.plan.Inputs {
		if known.Name == name {
			return
		}
	}
	c.plan.Inputs = append(c.plan.Inputs, v1alpha1.InputDigest{Name: name, SHA256: sha256})
}

func (c *compiler) readTrace(in *v1alpha1.Trace, path *field.Path) field.ErrorList {
	input := TraceInput{Format: in.Format, ConfigMap: in.ConfigMapRef}
	var raw []byte
	var errs field.ErrorList
	at, name := path.Child("configMapRef"), ""
	if in.File != nil {
		at, name, input.File = path.Child("file"), *in.File, *in.File
		raw, errs = c.file(*in.File, at)
	} else {
		name = in.ConfigMapRef.Name + "/" + in.ConfigMapRef.Key
		raw, errs = c.configMapKey(in.ConfigMapRef, at)
	}
	if len(errs) > 0 {
		return errs
	}
	trace, err := workload.ReadTrace(workload.Format(in.Format), bytes.NewReader(raw), name)
	if err != nil {
		return field.ErrorList{field.Invalid(at, name, err.Error())}
	}
	c.trace, input.SHA256 = trace, trace.Digest()
	c.plan.Trace = &input
	if in.ConfigMapRef != nil {
		c.pin(in.ConfigMapRef, input.SHA256)
	} else {
		c.plan.Inputs = append(c.plan.Inputs, v1alpha1.InputDigest{Name: "File/" + name, SHA256: input.SHA256})
	}
	return nil
}

// parameters resolves the parameters' paths and tries their values.
func (c *compiler) parameters(in []v1alpha1.Parameter, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i := range in {
		p, es := c.parameter(in[i], path.Index(i))
		errs = append(errs, es...)
		c.plan.Parameters = append(c.plan.Parameters, p)
	}
	if len(errs) > 0 {
		return errs
	}
	base := cloneTree(c.plan.Scenario).(tree)
	for _, i := range inOrder(c.plan.Parameters) {
		p := &c.plan.Parameters[i]
		if err := p.bind(base); err != nil {
			errs = append(errs, field.Invalid(path.Index(i).Child("path"), p.Path, err.Error()))
			continue
		}
		errs = append(errs, c.values(p, base, path.Index(i))...)
		if p.Profiles != nil {
			// What reaches into the profile is resolved in the first one;
			// values checks the others.
			_ = p.set(base, p.Profiles[0].Name)
		}
	}
	for i := range c.plan.Parameters {
		for j := range i {
			if c.plan.Parameters[i].Path == c.plan.Parameters[j].Path {
				errs = append(errs, field.Duplicate(path.Index(i).Child("path"), c.plan.Parameters[i].Path))
			}
		}
	}
	return errs
}

// values tries each value that stands for others in the base scenario.
func (c *compiler) values(p *Parameter, base tree, path *field.Path) field.ErrorList {
	if p.Range != nil && !p.leaf.numeric() {
		return field.ErrorList{field.Invalid(path.Child("range"), p.Path, fmt.Sprintf("the path leads to %s; list its values", p.leaf))}
	}
	var errs field.ErrorList
	for i, value := range p.corners() {
		at := path.Child("values").Index(i)
		switch {
		case p.Range != nil:
			at = path.Child("range", [...]string{"min", "max"}[i])
		case p.Profiles != nil:
			at = path.Child("profiles").Index(i)
		}
		scenario := cloneTree(base).(tree)
		if err := p.set(scenario, value); err != nil {
			errs = append(errs, field.Invalid(at, value, err.Error()))
			continue
		}
		for _, e := range c.checkValue(scenario) {
			errs = append(errs, field.Invalid(at, value, fmt.Sprintf("makes the scenario invalid: %s", e)))
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
	_, errs := c.plan.search(spec)
	return errs
}

// baseline checks that every parameter has one value that it can take.
func (c *compiler) baseline(in *v1alpha1.Baseline, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	given := map[string]int{}
	for i, a := range in.Parameters {
		given[a.Name] = i
	}
	scenario := cloneTree(c.plan.Scenario).(tree)
	for _, i := range inOrder(c.plan.Parameters) {
		p := &c.plan.Parameters[i]
		at, ok := given[p.Name]
		if !ok {
			errs = append(errs, field.Required(path, fmt.Sprintf("must give parameter %q a value", p.Name)))
			continue
		}
		delete(given, p.Name)
		value := in.Parameters[at].Value
		if p.Range != nil {
			if canonical, err := search.CanonicalDecimal(value); err == nil {
				value = canonical
			}
		}
		if err := p.set(scenario, value); err != nil {
			errs = append(errs, field.Invalid(path.Index(at).Child("value"), value, err.Error()))
			continue
		}
		c.plan.Baseline = append(c.plan.Baseline, v1alpha1.Assignment{Name: p.Name, Value: value})
	}
	for i, a := range in.Parameters {
		if _, left := given[a.Name]; left {
			errs = append(errs, field.Invalid(path.Index(i).Child("name"), a.Name, "there is no such parameter"))
		}
	}
	if len(errs) == 0 {
		for _, e := range c.checkValue(scenario) {
			errs = append(errs, field.Invalid(path, in.Parameters, fmt.Sprintf("make the scenario invalid: %s", e)))
		}
	}
	return errs
}

// objectives checks that every objective can be measured.
func (c *compiler) objectives(spec *v1alpha1.PolicySweepSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, o := range spec.Objectives {
		at := path.Index(i).Child("metric")
		metric, es := result.ParseMetric(o.Metric, at)
		if len(es) > 0 {
			errs = append(errs, es...)
			continue
		}
		if metric.NeedsTargets() && len(spec.Scenario.SLOs) == 0 {
			errs = append(errs, field.Invalid(at, o.Metric, "needs latency targets; state them in spec.scenario.slos"))
		}
		errs = append(errs, checkSelector(metric.Selector, &spec.Scenario, at)...)
		c.plan.Objectives = append(c.plan.Objectives, v1alpha1.Objective{Metric: metric.String(), Direction: o.Direction})
	}
	return errs
}

// checkSelector checks that a metric selects something that the scenario has.
func checkSelector(s result.Selector, in *v1alpha1.Scenario, path *field.Path) field.ErrorList {
	var pools, tenants, classes []string
	for _, p := range in.Pools {
		pools = append(pools, p.Name)
	}
	for _, client := range in.Workload.Clients {
		tenants, classes = append(tenants, client.Tenant), append(classes, client.Class)
	}
	if t := in.Workload.Trace; t != nil {
		tenants, classes = append(tenants, t.Tenant), append(classes, t.Class)
	}
	var errs field.ErrorList
	for _, label := range []struct {
		value string
		known []string
	}{{s.Pool, pools}, {s.Tenant, tenants}, {s.Class, classes}} {
		if label.value != "" && !slices.Contains(label.known, label.value) {
			slices.Sort(label.known)
			errs = append(errs, field.NotSupported(path, label.value, slices.Compact(label.known)))
		}
	}
	return errs
}
