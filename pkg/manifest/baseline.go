// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/spelling"
)

// baselineRule is the message of the rule of which a server cannot say more: which
// parameters it is about.
const baselineRule = "baseline must give every parameter of the sweep a value, and no other"

// nameBaselineParameters says for the baseline's rule which parameters lack a value and
// which there are not.
func nameBaselineParameters(errs field.ErrorList, object map[string]any) {
	for _, e := range errs {
		if e.Detail != baselineRule {
			continue
		}
		parameters := namesAt(object, "spec", "parameters")
		given := namesAt(object, "spec", "baseline", "parameters")
		var required, known []string
		for _, p := range parameters {
			known = append(known, p.name)
			if !p.conditional {
				required = append(required, p.name)
			}
		}
		var names []string
		for _, p := range given {
			names = append(names, p.name)
		}
		if missing := without(required, names); len(missing) > 0 {
			e.Detail += "; no value for " + spelling.Quote(missing)
		}
		if unknown := without(names, known); len(unknown) > 0 {
			e.Detail += "; no parameter is called " + spelling.Quote(unknown)
		}
	}
}

// named is an entry of a list of parameters.
type named struct {
	name        string
	conditional bool
}

// namesAt returns the entries of a list in an object.
func namesAt(object map[string]any, path ...string) []named {
	list, _, _ := unstructured.NestedSlice(object, path...)
	var all []named
	for _, item := range list {
		if entry, ok := item.(map[string]any); ok {
			name, _ := entry["name"].(string)
			all = append(all, named{name, entry["when"] != nil})
		}
	}
	return all
}

// without returns the names that are not among others.
func without(names, others []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool { return slices.Contains(others, n) })
}
