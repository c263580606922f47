// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"sigs.k8s.io/yaml"
)

// Each example has fields of every object that the schema has under its name.
func TestExamplesFitTheSchema(t *testing.T) {
	found := map[string]int{}
	var walk func(s *schema.Structural)
	walk = func(s *schema.Structural) {
		if s == nil {
			return
		}
		walk(s.Items)
		for name := range s.Properties {
			of := s.Properties[name]
			walk(&of)
			text, ok := examples[name]
			if !ok || of.Type != "object" {
				continue
			}
			found[name]++
			var example map[string]map[string]any
			if err := yaml.UnmarshalStrict([]byte(text), &example); err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			for key, value := range example[name] {
				field, ok := of.Properties[key]
				_, isText := value.(string)
				if !ok || isText != (field.Type == "string") {
					t.Errorf("%s: an object of that name has no such %s", text, key)
				}
			}
		}
	}
	for _, kind := range []string{"SimulationRun", "PolicySweep"} {
		walk(definitions[kind]().structural)
	}
	for name := range examples {
		if found[name] == 0 {
			t.Errorf("the schema has no object %s", name)
		}
	}
}
