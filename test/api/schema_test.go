// SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"maps"
	"slices"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/config/crd"
)

type props = apiextensionsv1.JSONSchemaProps

var files = map[string]string{
	"SimulationRun": "bases/sim.windtunnel.dev_simulationruns.yaml",
	"PolicySweep":   "bases/sim.windtunnel.dev_policysweeps.yaml",
}

func definitionOf(t *testing.T, kind string) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	text, err := crd.Bases.ReadFile(files[kind])
	if err != nil {
		t.Fatal(err)
	}
	def := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict(text, def); err != nil {
		t.Fatal(err)
	}
	return def
}

// specSchema is what users write. The status is written by the operator alone.
func specSchema(t *testing.T, kind string) *props {
	t.Helper()
	spec := definitionOf(t, kind).Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
	return &spec
}

// A node is a value of a document and the schema that it stands under.
type node struct {
	at     place
	value  any
	schema *props
}

// general is the place with [] for every index and entry.
func (n node) general() string { return generalize(n.at) }

func generalize(p place) string {
	var g place
	for _, step := range p {
		if _, ok := step.(int); ok {
			step = "[]"
		}
		g = append(g, step)
	}
	return g.String()
}

// walk visits a value and all beneath it, in a fixed order.
func walk(n node, visit func(node)) {
	visit(n)
	switch value := n.value.(type) {
	case object:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			if child, ok := n.schema.Properties[name]; ok {
				walk(node{n.at.child(name), value[name], &child}, visit)
			} else if n.schema.AdditionalProperties != nil {
				walk(node{n.at.child(name), value[name], n.schema.AdditionalProperties.Schema}, visit)
			}
		}
	case []any:
		for i, entry := range value {
			walk(node{n.at.child(i), entry, n.schema.Items.Schema}, visit)
		}
	}
}

// shared are the places where both specs have the same schema but for descriptions: what
// the API server does with such a place of a run, it does with that of a sweep.
func shared(t *testing.T) map[string]bool {
	t.Helper()
	ofRuns := map[string]*props{}
	walkSchema(place{"spec"}, specSchema(t, "SimulationRun"), func(at place, s *props) { ofRuns[generalize(at)] = bare(s) })
	same := map[string]bool{}
	walkSchema(place{"spec"}, specSchema(t, "PolicySweep"), func(at place, s *props) {
		if run, ok := ofRuns[generalize(at)]; ok && equality.Semantic.DeepEqual(run, bare(s)) {
			same[generalize(at)] = true
		}
	})
	return same
}

// bare is a schema without the descriptions of itself and of all below it.
func bare(s *props) *props {
	s = s.DeepCopy()
	s.Description = ""
	for name, property := range s.Properties {
		s.Properties[name] = *bare(&property)
	}
	if s.Items != nil {
		s.Items.Schema = bare(s.Items.Schema)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		s.AdditionalProperties.Schema = bare(s.AdditionalProperties.Schema)
	}
	return s
}

// ownNodes are the nodes of a document, for a sweep without those of shared places.
func ownNodes(t *testing.T, doc object) []node {
	t.Helper()
	all := nodes(t, doc)
	if kindOf(doc) != "PolicySweep" {
		return all
	}
	same := shared(t)
	return slices.DeleteFunc(all, func(n node) bool { return same[n.general()] })
}

// nodes are all values of a document's spec.
func nodes(t *testing.T, doc object) []node {
	var all []node
	walk(node{place{"spec"}, doc["spec"], specSchema(t, kindOf(doc))}, func(n node) { all = append(all, n) })
	return all
}

// walkSchema visits every place that a schema knows of.
func walkSchema(at place, s *props, visit func(place, *props)) {
	visit(at, s)
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		child := s.Properties[name]
		walkSchema(at.child(name), &child, visit)
	}
	if s.Items != nil {
		walkSchema(at.child(0), s.Items.Schema, visit)
	}
}

// Without this the tables below could miss a bound that nobody set a value for.
func TestDocumentsHoldEveryFieldOfTheSchema(t *testing.T) {
	visited := map[string]bool{}
	for _, doc := range documents(t) {
		for _, n := range ownNodes(t, doc) {
			visited[kindOf(doc)+" "+n.general()] = true
		}
	}
	same := shared(t)
	for kind := range files {
		walkSchema(place{"spec"}, specSchema(t, kind), func(at place, _ *props) {
			if kind == "PolicySweep" && same[generalize(at)] {
				return
			}
			if !visited[kind+" "+generalize(at)] {
				t.Errorf("no document sets %s of a %s", at, kind)
			}
		})
	}
}

// A kind of bound that the tables do not know would go untested.
func TestSchemaUsesOnlyBoundsThatTheTablesKnow(t *testing.T) {
	for kind := range files {
		walkSchema(place{"spec"}, specSchema(t, kind), func(at place, s *props) {
			if s.MultipleOf != nil || s.MinProperties != nil || s.ExclusiveMinimum || s.ExclusiveMaximum ||
				s.UniqueItems || s.Not != nil || len(s.AllOf)+len(s.OneOf) > 0 || (len(s.AnyOf) > 0 && !s.XIntOrString) ||
				s.XEmbeddedResource || s.XPreserveUnknownFields != nil || s.Nullable {
				t.Errorf("%s of a %s has a bound that no table varies", at, kind)
			}
		})
	}
}

// A client-side `kubectl apply` keeps the object as compact JSON in an annotation. All
// annotations of an object may have 262,144 bytes together; the rest is for the others.
// Below this limit each definition keeps room for the fields of later releases, as
// docs/adr/0043-crd-size-limit.md has it.
func TestDefinitionsAreSmallEnoughToApply(t *testing.T) {
	const limit = 240 << 10
	room := map[string]int{"SimulationRun": 30_000, "PolicySweep": 60_000}
	for kind, file := range files {
		text, err := crd.Bases.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		compact, err := yaml.YAMLToJSON(text)
		if err != nil {
			t.Fatal(err)
		}
		if left := limit - len(compact); left < room[kind] {
			t.Errorf("CRD of %s has %d bytes as compact JSON and leaves %d of %d, want at least %d", kind, len(compact), left, limit, room[kind])
		}
	}
}
