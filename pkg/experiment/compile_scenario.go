// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// scenario resolves the base scenario and checks that it can be simulated.
func (c *compiler) scenario(in *v1alpha1.Scenario, path *field.Path) field.ErrorList {
	c.cluster, _ = buildCluster(in, path)
	c.linted = lintContext(in)
	var picker tree
	var errs field.ErrorList
	if in.Router.Policies == nil {
		picker, errs = c.pickerConfig("", in.Router.EndpointPickerConfig, path.Child("router", "endpointPickerConfig"))
	}
	if in.Workload.Trace != nil {
		errs = append(errs, c.readTrace(in.Workload.Trace, path.Child("workload", "trace"))...)
	}
	scenario := *in.DeepCopy()
	if t := scenario.Workload.Trace; t != nil {
		t.File, t.ConfigMapRef = nil, nil
	}
	errs = append(errs, c.tables(scenario.Pools, path.Child("pools"))...)
	if es := c.catalogue(scenario.Catalogue, path.Child("catalogue")); len(es) > 0 {
		// What the pools lack may be what could not be read.
		return append(errs, es...)
	}
	if len(errs) > 0 {
		_, more := c.plan.build(&scenario, nil, c.trace, 0, path)
		return append(errs, more...)
	}
	root, err := toTree(scenario)
	if err != nil {
		panic(fmt.Sprintf("experiment: marshal scenario: %v", err))
	}
	if picker != nil {
		root["router"].(tree)["endpointPickerConfig"] = picker
	}
	c.plan.Scenario = root
	return c.check(root, path)
}

// check reports what keeps a resolved scenario from being simulated, and notes
// what need not be meant.
func (c *compiler) check(scenario tree, path *field.Path) field.ErrorList {
	typed, router, errs := decodeScenario(scenario, path)
	if len(errs) > 0 {
		return errs
	}
	config, errs := c.plan.build(typed, router, c.trace, 0, path)
	if len(errs) == 0 {
		c.plan.Warnings = append(c.plan.Warnings, tierNotes(typed, config.Pools, c.trace, path.Child("pools"))...)
		c.plan.Warnings = append(c.plan.Warnings, handoffNotes(typed, &config, path)...)
	}
	return errs
}

func (c *compiler) pinConfigMap(ref *v1alpha1.ConfigMapKeyReference, sha256 string) {
	c.pin(fmt.Sprintf("ConfigMap/%s/%s", ref.Name, ref.Key), sha256)
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
	if in.File == nil && unpackedBytes(raw) > maxUnpackedBytes {
		return field.ErrorList{field.Invalid(at, name, fmt.Sprintf("has more than %d MiB decompressed", maxUnpackedBytes>>20))}
	}
	trace, err := workload.ReadTrace(workload.Format(in.Format), bytes.NewReader(raw), name)
	if err != nil {
		return field.ErrorList{field.Invalid(at, name, err.Error())}
	}
	c.trace, input.SHA256 = trace, trace.Digest()
	c.plan.Trace = &input
	if in.ConfigMapRef != nil {
		c.pinConfigMap(in.ConfigMapRef, input.SHA256)
	} else {
		c.pin("File/"+name, input.SHA256)
	}
	return nil
}

// maxUnpackedBytes bounds what a ConfigMap's trace may become in the memory of
// the manager, which serves everybody.
const maxUnpackedBytes = 64 << 20

// unpackedBytes returns the size of a trace's text, as far as the bound and a
// byte beyond. What is no gzip, or a broken one, is for the reader to judge.
func unpackedBytes(raw []byte) int64 {
	z, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		return int64(len(raw))
	}
	n, _ := io.Copy(io.Discard, io.LimitReader(z, maxUnpackedBytes+1))
	return n
}
