// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/policy/admission"
	"windtunnel.dev/windtunnel/pkg/policy/priority"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/bundle"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// loadBundled reads the admission and the priority of the bundle of a scenario's router, if it
// has one.
func (g *gatewayPolicies) loadBundled(in *v1alpha1.Scenario, labels workload.Labels, selected bool, programs *programReader, router *field.Path) field.ErrorList {
	b, errs := readBundle(&in.Router, router)
	if b == nil {
		return errs
	}
	errs = ValidateBundle(&in.Router, b, router)
	path, names := bundlePath(router), namesOf(labels)
	var es field.ErrorList
	switch c, at := b.Admission, path.Child("admission"); {
	case c.Program():
		g.admissionProgram, es = programs.readFor(c, sandbox.AdmissionLayout(names), at)
	case c != nil:
		spec := admission.Spec{Policy: c.BuiltIn.Policy, Parameters: bundle.Texts(c.BuiltIn.Parameters)}
		g.admission, es = loadAdmission(in, spec, labels, selected, at.Child("builtIn"))
	}
	errs = append(errs, es...)
	es = nil
	switch c, at := b.Priority, path.Child("priority"); {
	case c.Program():
		g.priorityProgram, es = programs.readFor(c, sandbox.PriorityLayout(names), at)
	case c != nil:
		spec := priority.Spec{Policy: c.BuiltIn.Policy, Parameters: bundle.Texts(c.BuiltIn.Parameters)}
		g.priority, es = loadPriority(in, spec, labels, selected, at.Child("builtIn"))
	}
	return append(errs, es...)
}
