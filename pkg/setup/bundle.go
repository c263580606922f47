// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/policy/native"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/bundle"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// bundlePolicy names the policy of a scaler, or of a router in explanations, that a bundle
// has.
const bundlePolicy = "bundle"

// bundlePath is where the bundle of a router stands.
func bundlePath(router *field.Path) *field.Path { return router.Child("policies", "bundle") }

// readBundle reads the bundle of a resolved router; nil where it has none.
func readBundle(in *v1alpha1.Router, path *field.Path) (*bundle.Bundle, field.ErrorList) {
	if in.Policies == nil || in.Policies.Bundle == nil {
		return nil, nil
	}
	return bundle.Read([]byte(*in.Policies.Bundle.Inline), bundlePath(path))
}

// component returns a component of the bundle of a resolved router, which has no faults; nil
// if it lacks the component.
func component(in *v1alpha1.Router, name sandbox.Component) *bundle.Component {
	b, _ := readBundle(in, nil)
	if b == nil {
		return nil
	}
	return b.Components()[name]
}

// ValidateBundle says what of a router contradicts its bundle, and what the bundle lacks.
func ValidateBundle(in *v1alpha1.Router, b *bundle.Bundle, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if b.Routing == nil {
		errs = append(errs, field.Required(bundlePath(path).Child("routing"), "a bundle states the routing"))
	}
	if b.Admission != nil && in.Admission != nil {
		errs = append(errs, field.Forbidden(path.Child("admission"), "the bundle has an admission"))
	}
	if b.Priority != nil && in.Priority != nil {
		errs = append(errs, field.Forbidden(path.Child("priority"), "the bundle has a priority"))
	}
	return errs
}

// loadBundledRouting reads the routing of a bundle. Where it is a program, that is read when
// the names of the workload are known.
func loadBundledRouting(in *v1alpha1.Router, policies *field.Path) (*Routing, field.ErrorList) {
	b, errs := bundle.Read([]byte(*in.Policies.Bundle.Inline), policies.Child("bundle"))
	if len(errs) > 0 {
		return nil, errs
	}
	c, path := b.Routing, policies.Child("bundle", "routing")
	if c == nil {
		return nil, field.ErrorList{field.Required(path, "a bundle states the routing")}
	}
	if c.Program() {
		return &Routing{program: c}, nil
	}
	spec := native.Spec{
		Policy: c.BuiltIn.Policy, Parameters: bundle.Texts(c.BuiltIn.Parameters), TieBreak: strings.ToLower(string(in.TieBreak)),
	}
	if c.BuiltIn.Weights == bundle.Normalized {
		spec.Mode = native.ModeNormalised
	}
	for _, s := range c.BuiltIn.Scorers {
		spec.Scorers = append(spec.Scorers, native.Scorer{Name: s.Name, Weight: s.Weight, Parameters: bundle.Texts(s.Parameters)})
	}
	config, errs := native.Load(spec, path.Child("builtIn"))
	if len(errs) > 0 {
		return nil, errs
	}
	return &Routing{native: config}, nil
}

// loadProgram reads the program that routes, if one does.
func (r *Routing) loadProgram(in *v1alpha1.Router, labels workload.Labels, programs *programReader, path *field.Path) field.ErrorList {
	if r.program == nil {
		return nil
	}
	at := bundlePath(path).Child("routing")
	spec := native.ProgramSpec{
		Names: namesOf(labels), TieBreak: strings.ToLower(string(in.TieBreak)),
		Load: func(l *sandbox.Layout) (sandbox.Code, field.ErrorList) { return programs.read(r.program, l, at) },
	}
	for _, s := range r.program.AllSignals() {
		spec.Signals = append(spec.Signals, native.ProgramSignal{Field: s.FieldName(), Name: s.Name, Parameters: bundle.Texts(s.Parameters)})
	}
	var errs field.ErrorList
	r.native, errs = native.LoadProgram(spec, at)
	return errs
}

func namesOf(labels workload.Labels) sandbox.Names {
	return sandbox.Names{Tenants: labels.Tenants, Classes: labels.Classes}
}

// RunsPrograms has the programs of the scenario read when its simulation is built. Without
// it they stand in the simulation as they are, and it cannot run.
func (r *Routing) RunsPrograms() {
	r.runs = true
	for _, m := range r.models {
		m.runs = true
	}
}

// policyName is what explanations call a native policy.
func policyName(in *v1alpha1.Router) string {
	if in.Policies.Bundle != nil {
		return bundlePolicy
	}
	return in.Policies.Routing.Policy
}

// withBundleText returns a router of a tree with the text of its bundle in place of the
// document.
func withBundleText(router Tree) Tree {
	policies, _ := router["policies"].(Tree)
	document, is := policies["bundle"].(Tree)
	if !is || document["inline"] != nil {
		return router
	}
	own, with := maps.Clone(router), maps.Clone(policies)
	with["bundle"] = Tree{"inline": string(TreeJSON(document))}
	own["policies"] = with
	return own
}

// BundleDocument is the document that stands in a tree for a bundle's text, which is JSON.
func BundleDocument(text string) (Tree, error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var document Tree
	err := d.Decode(&document)
	return document, err
}

// HasBundle reports whether some router of a resolved scenario has a bundle. Unlike [Foreign], it needs
// no types.
func HasBundle(root Tree) bool {
	has := func(router any) bool {
		own, _ := router.(Tree)
		policies, _ := own["policies"].(Tree)
		return policies["bundle"] != nil
	}
	list, _ := root["routers"].([]any)
	return has(root["router"]) || slices.ContainsFunc(list, has)
}

// Foreign reports whether some router of a resolved scenario runs untrusted
// code.
func Foreign(in *v1alpha1.Scenario) bool { return len(foreignBundles(in)) > 0 }

// ProgramLimits are those that the bundles with code of a scenario state for a simulation as
// a whole: the greatest of all, and none where one bundle leaves a limit to the default.
func ProgramLimits(in *v1alpha1.Scenario) bundle.Limits {
	var most bundle.Limits
	for i, b := range foreignBundles(in) {
		own := bundle.Limits{}
		if b.Limits != nil {
			own = *b.Limits
		}
		if i == 0 {
			most = own
			continue
		}
		most.CPUSeconds, most.MemoryMiB = greatest(most.CPUSeconds, own.CPUSeconds), greatest(most.MemoryMiB, own.MemoryMiB)
	}
	return most
}

// greatest is the greater of two limits, or the default, 0, where one is.
func greatest(a, b uint64) uint64 {
	if a == 0 || b == 0 {
		return 0
	}
	return max(a, b)
}

// foreignBundles are the bundles with code of a scenario.
func foreignBundles(in *v1alpha1.Scenario) []*bundle.Bundle {
	var all []*bundle.Bundle
	add := func(r *v1alpha1.Router) {
		if b, _ := readBundle(r, nil); b != nil && b.Foreign() {
			all = append(all, b)
		}
	}
	add(&in.Router)
	for i := range in.Routers {
		add(&in.Routers[i].Router)
	}
	return all
}
