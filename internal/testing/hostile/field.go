// SPDX-License-Identifier: Apache-2.0

package hostile

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/config/crd"
)

type schema = apiextensionsv1.JSONSchemaProps

// specs are the schemas of the kinds' specs.
var specs = map[string]schema{
	v1alpha1.SimulationRunKind: specOf("bases/sim.windtunnel.dev_simulationruns.yaml"),
	v1alpha1.PolicySweepKind:   specOf("bases/sim.windtunnel.dev_policysweeps.yaml"),
}

func specOf(file string) schema {
	text, err := crd.Bases.ReadFile(file)
	if err != nil {
		panic(fmt.Sprintf("hostile: %v", err))
	}
	var definition apiextensionsv1.CustomResourceDefinition
	if err := yaml.Unmarshal(text, &definition); err != nil {
		panic(fmt.Sprintf("hostile: %s: %v", file, err))
	}
	return definition.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
}

// badField sets one or two fields anywhere in the spec to values that the schema
// suggests.
func badField(r *rand.Rand, o object) {
	for range 1 + r.IntN(2) {
		s := specs[o["kind"].(string)]
		descend(r, o["spec"].(object), &s)
	}
}

// descend goes a random way down a spec and sets what it ends at.
func descend(r *rand.Rand, fields object, s *schema) {
	name := one(r, slices.Sorted(maps.Keys(s.Properties))...)
	child := s.Properties[name]
	switch node := fields[name].(type) {
	case object:
		if len(child.Properties) > 0 {
			descend(r, node, &child)
			return
		}
	case []any:
		if len(node) > 0 && len(child.Items.Schema.Properties) > 0 {
			if entry, ok := node[r.IntN(len(node))].(object); ok {
				descend(r, entry, child.Items.Schema)
				return
			}
		}
	}
	fields[name] = valueOf(r, &child)
}

// valueOf makes a value of a schema's type, at its bounds where it has some.
func valueOf(r *rand.Rand, s *schema) any {
	if r.IntN(40) == 0 {
		return nil
	}
	if len(s.Enum) > 0 {
		var value any
		if err := json.Unmarshal(one(r, s.Enum...).Raw, &value); err != nil {
			panic(fmt.Sprintf("hostile: %v", err))
		}
		return value
	}
	switch s.Type {
	case "object":
		return objectOf(r, s)
	case "array":
		var list []any
		for range 1 + r.IntN(3) {
			list = append(list, valueOf(r, s.Items.Schema))
		}
		return list
	case "integer":
		return integerOf(r, s)
	case "boolean":
		return r.IntN(2) == 0
	}
	return textOf(r, s)
}

// objectOf makes an object of the required fields and of some of the others.
func objectOf(r *rand.Rand, s *schema) object {
	fields := object{}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if slices.Contains(s.Required, name) || r.IntN(5) == 0 {
			child := s.Properties[name]
			fields[name] = valueOf(r, &child)
		}
	}
	if s.AdditionalProperties != nil {
		fields[one(r, "k", "a/b", "é")] = valueOf(r, s.AdditionalProperties.Schema)
	}
	return fields
}

func integerOf(r *rand.Rand, s *schema) int64 {
	values := []int64{0, 1, 2, 1<<31 - 1}
	for _, bound := range []*float64{s.Minimum, s.Maximum} {
		if bound != nil {
			values = append(values, int64(*bound), int64(*bound))
		}
	}
	return one(r, values...)
}

func textOf(r *rand.Rand, s *schema) string {
	text := one(r, "1", "0", "0.5", "2.5", "99999999", "0.00000001", "1h", "1ns", "8760h", "500ms", "5%", "40G", "256Gi", "a", "default", "llama",
		"chat", "ttft.p99", "goodput", "../x", "é", "null", "{}", strings.Repeat("a", 60))
	if s.MaxLength != nil && r.IntN(6) == 0 {
		text = strings.Repeat("a", int(min(*s.MaxLength, 4096)))
	}
	return text
}
