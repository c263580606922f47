// SPDX-License-Identifier: Apache-2.0

package crd_test

import (
	"testing"

	"k8s.io/utils/ptr"
)

// An optional object that may be written as {} and has defaults has one owner. With an owner for each
// field, kubectl apply --server-side after kubectl apply takes the defaults for fields that the
// manifest no longer has, and leaves null in place of {}.
func TestObjectsThatMayBeEmptyAreAtomic(t *testing.T) {
	checked := 0
	var check func(path string, s schema)
	check = func(path string, s schema) {
		hasDefault := false
		for name, property := range s.Properties {
			hasDefault = hasDefault || property.Default != nil
			check(path+"."+name, property)
		}
		if s.Items != nil {
			check(path+"[]", *s.Items.Schema)
		}
		// An object with a rule refuses {}, or has this mark for the same reason.
		if hasDefault && s.Default == nil && len(s.Required) == 0 && len(s.XValidations) == 0 {
			checked++
			if ptr.Deref(s.XMapType, "") != "atomic" {
				t.Errorf("%s needs the marker +structType=atomic", path)
			}
		}
	}
	for _, plural := range []string{"simulationruns", "policysweeps"} {
		spec := schemaOf(readDefinition(t, plural)).Properties["spec"]
		for name, property := range spec.Properties {
			if name != "execution" { // Its imagePullSecrets are Kubernetes' own.
				check(plural+".spec."+name, property)
			}
		}
	}
	if checked < 20 {
		t.Errorf("%d objects are checked", checked)
	}
}
