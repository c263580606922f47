// SPDX-License-Identifier: Apache-2.0

package compile

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/setup"
)

// scenario resolves the base scenario and checks that it can be simulated.
func (c *compiler) scenario(in *v1alpha1.Scenario, path *field.Path) field.ErrorList {
	c.cluster, _ = setup.Cluster(in, path)
	c.linted = lintContext(in)
	var picker experiment.Tree
	var errs field.ErrorList
	if in.Router.Policies == nil {
		picker, errs = c.pickerConfig("", in.Router.EndpointPickerConfig, path.Child("router", "endpointPickerConfig"))
	}
	if in.Workload.Trace != nil {
		errs = append(errs, c.readTrace(in.Workload.Trace, path.Child("workload", "trace"))...)
	}
	scenario := *in.DeepCopy()
	if t := scenario.Workload.Trace; t != nil {
		// A result's key has the digest of its text.
		t.File, t.ConfigMapRef, t.PersistentVolumeClaim, t.Image, t.SHA256 = nil, nil, nil, nil, ""
	}
	errs = append(errs, c.tables(scenario.Pools, path.Child("pools"))...)
	if es := c.catalogue(scenario.Catalogue, path.Child("catalogue")); len(es) > 0 {
		// What the pools lack may be what could not be read.
		return append(errs, es...)
	}
	if len(errs) > 0 {
		_, more := c.plan.Builder.Build(&scenario, nil, c.trace, 0, path)
		return append(errs, more...)
	}
	root, err := experiment.ToTree(scenario)
	if err != nil {
		panic(fmt.Sprintf("experiment: marshal scenario: %v", err))
	}
	if picker != nil {
		root["router"].(experiment.Tree)["endpointPickerConfig"] = picker
	}
	c.plan.Scenario = root
	return c.check(root, path)
}

// check reports what keeps a resolved scenario from being simulated, and notes
// what need not be meant.
func (c *compiler) check(scenario experiment.Tree, path *field.Path) field.ErrorList {
	typed, router, errs := setup.Decode(scenario, path)
	if len(errs) > 0 {
		return errs
	}
	config, errs := c.plan.Builder.Build(typed, router, c.trace, 0, path)
	if len(errs) == 0 {
		c.plan.Warnings = append(c.plan.Warnings, setup.Notes(typed, &config, c.trace, path)...)
		c.noteStepTimes(typed)
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
