// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

// described is the kind whose definition describes the fields of a scenario. The other
// kinds that have one refer to it, because a definition has to fit into an annotation.
const described = "SimulationRun"

// schema is a part of a definition.
type schema = apiextensionsv1.JSONSchemaProps

// definitions reads the definitions of a folder, by kind.
func definitions(base fs.FS) (map[string]*apiextensionsv1.CustomResourceDefinition, error) {
	files, err := fs.Glob(base, "*.yaml")
	if err != nil {
		return nil, err
	}
	kinds := map[string]*apiextensionsv1.CustomResourceDefinition{}
	for _, file := range files {
		raw, err := fs.ReadFile(base, file)
		if err != nil {
			return nil, err
		}
		def := &apiextensionsv1.CustomResourceDefinition{}
		if err := yaml.UnmarshalStrict(raw, def); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		kinds[def.Spec.Names.Kind] = def
	}
	return kinds, nil
}

// scenarioOf returns the schema of spec.scenario.
func scenarioOf(root *schema) schema { return root.Properties["spec"].Properties["scenario"] }

// describe gives a kind the scenario of another one. Its own words on the whole stay.
func describe(root, by *schema) {
	scenario := scenarioOf(by)
	scenario.Description = scenarioOf(root).Description
	root.Properties["spec"].Properties["scenario"] = scenario
}

// finish takes the descriptions of the scenario from the definition of a sweep, and adds the
// rules of its unions. It edits the file as it is, because the Go types have fields that
// controller-gen does not write.
func finish(dir string) error {
	files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil {
		return err
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		def := object{}
		if err := yaml.Unmarshal(raw, &def); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if at(def, "spec", "names")["kind"] == described {
			continue
		}
		for _, version := range at(def, "spec")["versions"].([]any) {
			spec := at(version.(object), "schema", "openAPIV3Schema", "properties", "spec")
			refer(at(spec, "properties", "scenario"))
			addUnions(spec)
		}
		if raw, err = yaml.Marshal(def); err != nil {
			return err
		}
		if err := os.WriteFile(file, append([]byte("---\n"), raw...), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// at is the object below keys.
func at(o object, keys ...string) object {
	for _, key := range keys {
		o = o[key].(object)
	}
	return o
}

// refer replaces the descriptions below a scenario. Its direct fields say where the
// descriptions are.
func refer(scenario object) {
	for name, property := range at(scenario, "properties") {
		field := property.(object)
		undescribe(field)
		field["description"] = "kubectl explain " + strings.ToLower(described) + ".spec.scenario." + name
	}
}

// undescribe drops the descriptions of a schema and of all below it. A field may have the
// name description: its schema is an object, and a description a string.
func undescribe(value any) {
	switch value := value.(type) {
	case object:
		if _, ok := value["description"].(string); ok {
			delete(value, "description")
		}
		for _, inner := range value {
			undescribe(inner)
		}
	case []any:
		for _, inner := range value {
			undescribe(inner)
		}
	}
}
