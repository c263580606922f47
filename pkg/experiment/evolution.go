// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/mutate"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/bundle"
	"windtunnel.dev/windtunnel/pkg/search"
	"windtunnel.dev/windtunnel/pkg/setup"
)

// Evolution says how the values of a parameter come about that are bundles of policies.
type Evolution struct {
	// Components are those that vary; none are all.
	Components []sandbox.Component `json:"components,omitempty"`
	MaxNodes   int                 `json:"maxNodes"`
	// Tenants and Classes are names that trees may ask for; AnyLabel says that all of them
	// are there wherever a tree decides.
	Tenants  []string `json:"tenants,omitempty"`
	Classes  []string `json:"classes,omitempty"`
	AnyLabel bool     `json:"anyLabel,omitempty"`
	// Proposer is what pods ask for policies; nil where there is no such service.
	Proposer *Proposer `json:"proposer,omitempty"`
}

// Proposer is a service that proposes policies.
type Proposer struct {
	URL            string `json:"url"`
	TimeoutSeconds int    `json:"timeoutSeconds"`
	// Secret and Key hold the header Authorization; both are empty without the header.
	Secret string `json:"secret,omitempty"`
	Key    string `json:"key,omitempty"`
}

// ProposerOf is the service that pods ask for policies of a plan; nil without a proposer.
func (p *Plan) ProposerOf() *Proposer {
	if q := p.Evolving(); q != nil {
		return q.Evolve.Proposer
	}
	return nil
}

// Bounds of a sweep that evolves policies. A round's policies go into one ConfigMap, and
// those of all rounds into the memory of the manager.
const (
	MaxEvolvedGeneration = 48
	MaxEvolvedTrials     = 10_000
)

// TheScenarios is the value of a baseline for the policy that all others come from.
const TheScenarios = "scenario"

// Evolving is the parameter that evolves; nil where none does.
func (p *Plan) Evolving() *Parameter {
	if i := p.evolving(); i >= 0 {
		return &p.Parameters[i]
	}
	return nil
}

// evolving is the place of the parameter that evolves among the parameters; negative where
// none does.
func (p *Plan) evolving() int {
	return slices.IndexFunc(p.Parameters, func(q Parameter) bool { return q.Evolve != nil })
}

// Mutator makes the values of a parameter that evolves. path is that of the field.
func (p *Plan) Mutator(q *Parameter, path *field.Path) (*mutate.Mutator, field.ErrorList) {
	first, errs := bundle.Read([]byte(q.First), path)
	if len(errs) > 0 {
		return nil, errs
	}
	return mutate.New(first, mutate.Options{
		Components: q.Evolve.Components, MaxNodes: q.Evolve.MaxNodes,
		Names: sandbox.Names{Tenants: q.Evolve.Tenants, Classes: q.Evolve.Classes}, AnyLabel: q.Evolve.AnyLabel,
	}, path)
}

// genome makes the values of a parameter of a plan that was checked.
func (p *Plan) genome(q *Parameter) search.Genome {
	m, errs := p.Mutator(q, nil)
	switch {
	case len(errs) > 0:
		panic(fmt.Sprintf("experiment: parameter %s: %v", q.Name, errs.ToAggregate()))
	case p.Proposer != nil:
		return proposing{m, p.Proposer}
	}
	return m
}

// proposing is a mutator together with a service that proposes policies.
type proposing struct {
	*mutate.Mutator
	ask func([]search.Inquiry) [][]search.Proposed
}

// Propose implements [search.Proposer].
func (p proposing) Propose(inquiries []search.Inquiry) [][]search.Proposed { return p.ask(inquiries) }

// WithProposer returns a copy of the plan, for whoever does not simulate it, that asks a proposer.
func (p *Plan) WithProposer(ask func([]search.Inquiry) [][]search.Proposed) *Plan {
	own, err := DecodePlan(p.Encode())
	if err != nil {
		panic(fmt.Sprintf("experiment: copy a plan: %v", err))
	}
	own.Pickers, own.Manifests, own.Expanded, own.Proposer = p.Pickers, p.Manifests, p.Expanded, ask
	return own
}

// PolicyValue is how a policy in canonical form is named among the values of a parameter.
func PolicyValue(text string) string { return bundle.IDOf(text) }

// bindEvolving checks that the path leads to the bundle of a router.
func (p *Parameter) bindEvolving(scenario Tree) error {
	model, rest, is := InBundle(p.Segments)
	if !is || len(rest) > 0 {
		return fmt.Errorf("must be %s, or with routers %s, since the policies of a bundle evolve", Render(BundlePath("")), Render(BundlePath("MODEL")))
	}
	document, there := Lookup(scenario, BundlePath(model)).(Tree)
	if !there {
		return fmt.Errorf("the router has no bundle: state the one that the policies evolve from")
	}
	first, errs := bundle.Read(setup.TreeJSON(document), nil)
	if len(errs) == 0 {
		p.First = first.Canonical()
	}
	return errs.ToAggregate()
}

// setPolicy writes a bundle in canonical form into a scenario.
func (p *Parameter) setPolicy(scenario Tree, text string) error {
	document, err := setup.BundleDocument(text)
	if err != nil {
		return err
	}
	return Assign(scenario, p.segments(), document)
}
