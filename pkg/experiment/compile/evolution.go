// SPDX-License-Identifier: Apache-2.0

package compile

import (
	"fmt"
	"net/url"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox"
)

// evolution takes over how a parameter evolves.
func (c *compiler) evolution(in *v1alpha1.Evolution) *experiment.Evolution {
	if in == nil {
		return nil
	}
	names := c.labels[""]
	_, several := c.plan.Scenario["routers"]
	out := &experiment.Evolution{
		MaxNodes: int(in.MaxNodes), Tenants: names.Tenants, Classes: names.Classes,
		AnyLabel: !several && len(c.plan.Workloads) == 0, // else a tree may decide where a name is not there
	}
	for _, name := range in.Components {
		out.Components = append(out.Components, sandbox.Component(name))
	}
	if p := in.Proposer; p != nil {
		out.Proposer = &experiment.Proposer{URL: p.URL, TimeoutSeconds: int(p.TimeoutSeconds)}
		if ref := p.HeaderSecretRef; ref != nil {
			out.Proposer.Secret, out.Proposer.Key = ref.Name, ref.Key
		}
	}
	return out
}

// evolving checks the parameter that evolves against the others and the search.
func (c *compiler) evolving(path *field.Path) field.ErrorList {
	p := c.plan.Evolving()
	if p == nil {
		return nil
	}
	var errs field.ErrorList
	for i := range c.plan.Parameters {
		q, at := &c.plan.Parameters[i], path.Index(i)
		switch {
		case q == p:
			errs = append(errs, c.evolves(p, at)...)
		case q.Evolve != nil:
			errs = append(errs, field.Forbidden(at.Child("evolve"), fmt.Sprintf("parameter %s evolves, and one parameter can: make a sweep for each router", p.Name)))
		case q.Within(p):
			errs = append(errs, field.Invalid(at.Child("path"), q.Path, fmt.Sprintf("parameter %s evolves what is there", p.Name)))
		case p.Within(q):
			errs = append(errs, field.Invalid(at.Child("path"), q.Path, fmt.Sprintf("parameter %s evolves the bundle of this router", p.Name)))
		}
	}
	return append(errs, c.evolvingSearch(path.Root().Child("search"))...)
}

// evolvedForm refuses forms that a policy does not have.
func (c *compiler) evolvedForm(in *v1alpha1.Promotion, path *field.Path) field.ErrorList {
	if in == nil || c.plan.Evolving() == nil || in.Format == v1alpha1.SourceFormat || in.Format == v1alpha1.DocumentFormat {
		return nil
	}
	return field.ErrorList{field.Invalid(path, in.Format, "must be Source or Document, since a policy that evolves is written as a document")}
}

// evolves checks the parameter itself.
func (c *compiler) evolves(p *experiment.Parameter, at *field.Path) field.ErrorList {
	if err := p.Bind(c.plan.Scenario); err != nil {
		return field.ErrorList{field.Invalid(at.Child("path"), p.Path, err.Error())}
	}
	_, errs := c.plan.Mutator(p, at.Child("evolve"))
	if q := p.Evolve.Proposer; q != nil {
		if to, err := url.Parse(q.URL); err != nil || to.Hostname() == "" {
			errs = append(errs, field.Invalid(at.Child("evolve", "proposer", "url"), q.URL, "must be a URL such as https://proposer.example/propose"))
		}
	}
	if p.When != nil {
		errs = append(errs, field.Forbidden(at.Child("when"), "a parameter that evolves exists at every point"))
	}
	return errs
}

// evolvingSearch bounds what a search keeps of the policies that it makes.
func (c *compiler) evolvingSearch(path *field.Path) field.ErrorList {
	var errs field.ErrorList
	s := c.plan.Search
	if n := s.GenerationSize; n != nil && *n > experiment.MaxEvolvedGeneration {
		errs = append(errs, field.Invalid(path.Child("generationSize"), *n,
			fmt.Sprintf("must be at most %d where a parameter evolves: the policies of a generation go into one ConfigMap", experiment.MaxEvolvedGeneration)))
	}
	if s.MaxTrials > experiment.MaxEvolvedTrials {
		errs = append(errs, field.Invalid(path.Child("maxTrials"), s.MaxTrials,
			fmt.Sprintf("must be at most %d where a parameter evolves", experiment.MaxEvolvedTrials)))
	}
	return errs
}
