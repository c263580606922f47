// SPDX-License-Identifier: Apache-2.0

package compile

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/bundle"
	"windtunnel.dev/windtunnel/pkg/setup"
)

// bundles reads the bundles of routers, and returns the scenario with the text of each in one
// spelling in its place.
func (c *compiler) bundles(in *v1alpha1.Scenario, path *field.Path) (*v1alpha1.Scenario, field.ErrorList) {
	read := in.DeepCopy()
	var errs field.ErrorList
	for _, b := range experiment.Bundles(read) {
		at := path.Child("router")
		for i := range in.Routers {
			if in.Routers[i].Key() == b.Model {
				at = path.Child("routers").Index(i)
			}
		}
		errs = append(errs, c.bundle(b.Router, at)...)
	}
	return read, errs
}

// bundle reads the bundle of a router, if it has one, and leaves its text in one spelling in
// the place of the source.
func (c *compiler) bundle(r *v1alpha1.Router, path *field.Path) field.ErrorList {
	if r.Policies == nil || r.Policies.Bundle == nil {
		return nil
	}
	from := source{r.Policies.Bundle.Inline, r.Policies.Bundle.ConfigMapRef, r.Policies.Bundle.File}
	raw, at, errs := c.text(from, path.Child("policies", "bundle"))
	if len(errs) > 0 {
		return errs
	}
	b, errs := bundle.ReadBeside(raw, c.sibling(from, sandbox.DefaultLimits.ModuleBytes), at)
	if len(errs) > 0 {
		return errs
	}
	if errs := b.Bound(c.programLimits(), at); len(errs) > 0 {
		return errs
	}
	text := b.Canonical()
	r.Policies.Bundle = &v1alpha1.ManifestSource{Inline: &text}
	return setup.ValidateBundle(r, b, path)
}

// programLimits are the most that a bundle may state. An object that refers to nothing is compiled without inputs,
// by the defaults.
func (c *compiler) programLimits() bundle.Limits {
	if c.inputs == nil {
		return bundle.Limits{}
	}
	return c.inputs.ProgramLimits()
}

// assignBundle puts the document of a router's bundle into its tree, so that paths lead into
// it.
func assignBundle(router experiment.Tree) {
	policies, _ := router["policies"].(experiment.Tree)
	source, is := policies["bundle"].(experiment.Tree)
	if !is {
		return
	}
	document, err := setup.BundleDocument(source["inline"].(string))
	if err != nil {
		panic(fmt.Sprintf("experiment: bundle of a router: %v", err))
	}
	policies["bundle"] = document
}

// assignBundles does so for all routers of a scenario.
func assignBundles(root experiment.Tree) {
	if router, one := root["router"].(experiment.Tree); one {
		assignBundle(router)
	}
	list, _ := root["routers"].([]any)
	for _, router := range list {
		assignBundle(router.(experiment.Tree))
	}
}
