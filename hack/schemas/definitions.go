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

// shared are the parts of a sweep whose fields a run describes, each with the part of a run.
// Paths start below spec, and lead through lists to their entries.
var shared = map[string]string{
	"scenario":                          "scenario",
	"execution":                         "execution",
	"parameters.alternatives.router":    "scenario.router",
	"parameters.alternatives.admission": "scenario.router.admission",
	"parameters.alternatives.engine":    "scenario.pools.engine",
}

// referring are the parts, of both kinds, whose direct fields say where they are described, outer parts
// before inner ones. Routers have the fields of the only router, and more.
var referring = []struct{ part, by string }{
	{"scenario", "scenario"},
	{"execution", "execution"},
	routersOfRouter,
}

// routersOfRouter are the routers of a scenario, which a run describes by its only router too.
var routersOfRouter = struct{ part, by string }{"scenario.routers", "scenario.router"}

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

// finish takes the descriptions of the shared parts from the definition of a sweep, and adds the
// rules of its unions. It takes those of a router from the routers of a run too. It edits the file as it is, because the Go types have fields that
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
		isRun := at(def, "spec", "names")["kind"] == described
		for _, version := range at(def, "spec")["versions"].([]any) {
			spec := at(version.(object), "schema", "openAPIV3Schema", "properties", "spec")
			if isRun {
				refer(spec, routersOfRouter.part, routersOfRouter.by)
				continue
			}
			for path := range shared {
				undescribe(part(spec, path)["properties"])
			}
			for _, r := range referring {
				refer(spec, r.part, r.by)
			}
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

// part is the schema of a field, or of its entries if it is a list.
func part(o object, path string) object {
	for name := range strings.SplitSeq(path, ".") {
		o = at(o, "properties", name)
		if items, ok := o["items"].(object); ok {
			o = items
		}
	}
	return o
}

// refer takes the descriptions from the fields that a part shares with another one, and says at
// each direct field where it is described.
func refer(spec object, path, by string) {
	fields := at(part(spec, by), "properties")
	for name, property := range at(part(spec, path), "properties") {
		if _, known := fields[name]; known {
			undescribe(property)
			property.(object)["description"] = "kubectl explain " + strings.ToLower(described) + ".spec." + by + "." + name
		}
	}
}

// describe gives the fields of a schema the descriptions of those of another one.
func describe(to, from object) {
	for key, value := range to {
		field, isObject := value.(object)
		by, known := from[key].(object)
		if !isObject || !known {
			continue
		}
		if words, ok := by["description"].(string); ok {
			field["description"] = words
		}
		describe(field, by)
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
