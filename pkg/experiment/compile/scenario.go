// SPDX-License-Identifier: Apache-2.0

package compile

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/preset"
	"windtunnel.dev/windtunnel/pkg/setup"
)

// scenario resolves the base scenario and checks that it can be simulated.
func (c *compiler) scenario(stated *v1alpha1.Scenario, path *field.Path) field.ErrorList {
	in, errs := c.expandPresets(stated, path)
	if len(errs) > 0 {
		return errs
	}
	if in, errs = c.route(in, path); len(errs) > 0 {
		return errs
	}
	in, unread := c.manifests(in, path)
	if in, errs = c.bundles(in, path); len(errs) > 0 {
		return append(unread, errs...)
	}
	if errs := setup.ValidateTenants(&in.Workload, path.Child("workload")); len(errs) > 0 {
		return append(unread, errs...)
	}
	parts, errs := setup.Parts(setup.WithTenants(in), path)
	if len(errs) > 0 {
		return append(unread, errs...)
	}
	c.base, c.told = in, map[string]told{}
	for i := range parts {
		c.told[parts[i].Key] = tellPart(&parts[i])
	}
	pickers, errs := c.pickers(in, path)
	c.findInManifests(in)
	errs = append(unread, errs...)
	for _, t := range setup.Traces(&in.Workload, path.Child("workload")) {
		errs = append(errs, c.readTrace(t)...)
	}
	scenario := *in.DeepCopy()
	for _, t := range setup.Traces(&scenario.Workload, nil) {
		// A result's key has the digest of its text.
		t.File, t.ConfigMapRef, t.PersistentVolumeClaim, t.Image, t.SHA256 = nil, nil, nil, nil, ""
	}
	errs = append(errs, c.tables(scenario.Pools, path.Child("pools"))...)
	if es := c.catalogue(scenario.Catalogue, path.Child("catalogue")); len(es) > 0 {
		// What the pools lack may be what could not be read.
		return append(errs, es...)
	}
	if len(errs) > 0 {
		_, more := c.plan.Builder.Build(setup.WithTenants(&scenario), nil, c.traces, 0, path)
		return append(errs, more...)
	}
	root, err := experiment.ToTree(scenario)
	if err != nil {
		panic(fmt.Sprintf("experiment: marshal scenario: %v", err))
	}
	for model, picker := range pickers {
		if err := experiment.Assign(root, experiment.PickerConfigPath(model), picker); err != nil {
			panic(fmt.Sprintf("experiment: router of model %q: %v", model, err))
		}
	}
	assignManifests(root, &scenario)
	assignBundles(root)
	if errs := c.set(root, path); len(errs) > 0 {
		return errs
	}
	c.plan.Scenario = root
	return c.check(root, path)
}

// expandPresets gives clients the fields of their presets. What a client states in addition to its
// preset may not go together with them.
func (c *compiler) expandPresets(in *v1alpha1.Scenario, path *field.Path) (*v1alpha1.Scenario, field.ErrorList) {
	expanded := preset.Expand(in)
	if expanded == in {
		return in, nil
	}
	clients := path.Child("workload", "clients").String()
	var errs field.ErrorList
	for _, e := range c.validateBySchema(*expanded.DeepCopy(), nil) {
		if strings.HasPrefix(e.Field, clients) {
			e.Detail += "; the client has the fields of its preset too, see windtunnel run --dry-run -o yaml"
			errs = append(errs, e)
		}
	}
	for i := range in.Workload.Clients {
		if in.Workload.Clients[i].Preset != nil {
			c.plan.Expanded = append(c.plan.Expanded, in.Workload.Clients[i].Name)
		}
	}
	return expanded, errs
}

// tellPart is what an EPP and the linter know of a router's part of a scenario.
func tellPart(part *setup.Part) told {
	cluster, _ := setup.Cluster(part.Scenario, nil) // whose faults Build says
	return told{part.Scenario, cluster, lintContext(part.Scenario)}
}

// pickers reads the EPP configurations of a scenario, by router.
func (c *compiler) pickers(in *v1alpha1.Scenario, path *field.Path) (map[string]experiment.Tree, field.ErrorList) {
	pickers := map[string]experiment.Tree{}
	var errs field.ErrorList
	read := func(model string, router *v1alpha1.Router, path *field.Path) {
		if router.Policies != nil {
			return
		}
		picker, es := c.pickerConfig(experiment.PickerKey{Model: model}, router.EndpointPickerConfig, path.Child("endpointPickerConfig"))
		pickers[model], errs = picker, append(errs, es...)
	}
	if len(in.Routers) == 0 {
		read("", &in.Router, path.Child("router"))
	}
	for i := range in.Routers {
		read(in.Routers[i].Key(), &in.Routers[i].Router, path.Child("routers").Index(i))
	}
	return pickers, errs
}

// check reports what keeps a resolved scenario from being simulated, and notes
// what need not be meant.
func (c *compiler) check(scenario experiment.Tree, path *field.Path) field.ErrorList {
	typed, router, errs := setup.Decode(scenario, path)
	if len(errs) > 0 {
		return errs
	}
	config, errs := c.plan.Builder.Build(typed, router, c.traces, 0, path)
	if config.Source != nil {
		c.labels[""] = config.Source.Labels()
	}
	if len(errs) == 0 {
		c.plan.Warnings = append(c.plan.Warnings, setup.Notes(typed, router, &config, c.traces, path)...)
		c.noteStepTimes(typed)
		c.idle = setup.IdleNotes(typed, path)
	}
	return errs
}

func (c *compiler) pinConfigMap(ref *v1alpha1.ConfigMapKeyReference, sha256 string) {
	c.pin(experiment.ConfigMapInput(ref.Name, ref.Key), sha256)
}

// pin records what was read from outside the object, once.
func (c *compiler) pin(name, sha256 string) {
	for _, known := range c.plan.Inputs {
		if known.Name == name {
			return
		}
	}
	c.plan.Inputs = append(c.plan.Inputs, v1alpha1.InputDigest{Name: name, SHA256: sha256})
}
