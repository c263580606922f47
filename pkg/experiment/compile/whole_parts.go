// SPDX-License-Identifier: Apache-2.0

package compile

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/setup"
)

// parameter converts one parameter of a spec.
func (c *compiler) parameter(in v1alpha1.Parameter, path *field.Path) (experiment.Parameter, field.ErrorList) {
	p := experiment.Parameter{Name: in.Name, Path: strings.TrimSpace(in.Path), Range: in.Range, Values: in.Values, When: in.When, Share: c.rollout}
	p.Evolve = c.evolution(in.Evolve)
	switch {
	case in.Profiles != nil:
		p.Profiles = []experiment.Profile{}
	case in.Alternatives != nil:
		p.Alternatives = []experiment.Alternative{}
	default:
		return p, nil
	}
	if err := p.Bind(c.plan.Scenario); err != nil {
		return p, field.ErrorList{field.Invalid(path.Child("path"), p.Path, err.Error())}
	}
	var errs field.ErrorList
	for i := range in.Profiles {
		profile := &in.Profiles[i]
		at := path.Child("profiles").Index(i).Child("endpointPickerConfig")
		config, es := c.pickerConfig(experiment.PickerKey{Model: p.RouterModel(), Profile: profile.Name}, profile.EndpointPickerConfig, at)
		errs = append(errs, es...)
		p.Profiles = append(p.Profiles, experiment.Profile{Name: profile.Name, Config: config})
	}
	for i := range in.Alternatives {
		alternative, at := &in.Alternatives[i], path.Child("alternatives").Index(i)
		part, es := c.alternative(alternative, &p, at)
		errs = append(errs, es...)
		p.Alternatives = append(p.Alternatives, part)
	}
	return p, errs
}

// alternative reads the part that the parameter's path leads to.
func (c *compiler) alternative(in *v1alpha1.Alternative, p *experiment.Parameter, path *field.Path) (experiment.Alternative, field.ErrorList) {
	out := experiment.Alternative{Name: in.Name}
	kind := p.PartKind()
	var errs field.ErrorList
	switch at := path.Child(string(kind)); {
	case kind == experiment.RouterPart && in.Router != nil:
		out.Router, errs = c.router(in.Router, in.Name, p.RouterModel(), at)
	case kind == experiment.AdmissionPart && in.Admission != nil:
		out.Admission = mustTree(in.Admission)
	case kind == experiment.EnginePart && in.Engine != nil:
		out.Engine = mustTree(in.Engine)
	default:
		errs = field.ErrorList{field.Required(at, fmt.Sprintf("the path is %s, so each alternative is a whole %s", p.Path, kind))}
	}
	return out, errs
}

// mustTree is a part of the API as a scenario's tree holds it.
func mustTree(part any) experiment.Tree {
	tree, err := experiment.ToTree(part)
	if err != nil {
		panic(fmt.Sprintf("experiment: marshal %T: %v", part, err))
	}
	return tree
}

// router reads a router in place of that of a model, as a scenario's tree holds it.
func (c *compiler) router(in *v1alpha1.Router, name, model string, path *field.Path) (experiment.Tree, field.ErrorList) {
	in = in.DeepCopy()
	errs := c.bundle(in, path)
	tree := mustTree(in)
	if in.Policies != nil {
		if len(errs) == 0 {
			assignBundle(tree)
		}
		return tree, errs
	}
	own := c.told[model]
	defer func() { c.told[model] = own }()
	c.tellRouter(in, model)
	document, errs := c.pickerConfig(experiment.PickerKey{Model: model, Profile: name}, in.EndpointPickerConfig, path.Child("endpointPickerConfig"))
	tree["endpointPickerConfig"] = document
	return tree, errs
}

// tellRouter notes what an EPP and the linter know if a router is in place of that of
// a model.
func (c *compiler) tellRouter(router *v1alpha1.Router, model string) {
	with := c.base.DeepCopy()
	if model == "" {
		with.Router = *router
	} else {
		at := slices.IndexFunc(with.Routers, func(r v1alpha1.ModelRouter) bool { return r.Key() == model })
		with.Routers[at].Router = *router
	}
	parts, _ := setup.Parts(setup.WithTenants(with), nil) // which the base has, too
	for i := range parts {
		if parts[i].Key == model {
			c.told[model] = tellPart(&parts[i])
		}
	}
}
