// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// object is a schema as JSON.
type object = map[string]any

// schemas returns the text of each schema by its file's name. A sweep's has the descriptions
// of a run's.
func schemas(base fs.FS) (map[string][]byte, error) {
	kinds, err := definitions(base)
	if err != nil {
		return nil, err
	}
	texts := map[string][]byte{}
	for kind, def := range kinds {
		for i, version := range def.Spec.Versions {
			root, err := untyped(version)
			if err != nil {
				return nil, err
			}
			if kind == described {
				describeRouters(root)
			} else {
				run, err := untyped(kinds[described].Spec.Versions[i])
				if err != nil {
					return nil, err
				}
				describeShared(root, run)
			}
			name := fmt.Sprintf("%s/%s_%s.json", def.Spec.Group, strings.ToLower(kind), version.Name)
			if texts[name], err = schemaOf(root, kind, def.Spec.Group+"/"+version.Name); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return texts, nil
}

// bareSchemas returns each kind's schema as the API server has it, without descriptions, as
// JSON. A program reads it in a twentieth of the time that the definition's YAML takes.
func bareSchemas(base fs.FS) (map[string][]byte, error) {
	kinds, err := definitions(base)
	if err != nil {
		return nil, err
	}
	texts := map[string][]byte{}
	for kind, def := range kinds {
		root, err := untyped(def.Spec.Versions[0])
		if err != nil {
			return nil, err
		}
		undescribe(root)
		if texts[strings.ToLower(kind)+".json"], err = json.Marshal(root); err != nil {
			return nil, err
		}
	}
	return texts, nil
}

// untyped is the schema of a version.
func untyped(version apiextensionsv1.CustomResourceDefinitionVersion) (object, error) {
	raw, err := json.Marshal(version.Schema.OpenAPIV3Schema)
	if err != nil {
		return nil, err
	}
	root := object{}
	err = json.Unmarshal(raw, &root)
	return root, err
}

// describeRouters gives the routers of a scenario the descriptions of the only router.
func describeRouters(root object) {
	spec := at(root, "properties", "spec")
	describe(part(spec, routersOfRouter.part), part(spec, routersOfRouter.by))
}

// describeShared gives the shared parts of a sweep the descriptions that a run has.
func describeShared(sweep, run object) {
	describeRouters(run)
	for to, from := range shared {
		describe(part(at(sweep, "properties", "spec"), to), part(at(run, "properties", "spec"), from))
	}
}

// schemaOf writes a schema as JSON Schema: strict about fields that the API server would refuse,
// and without the rules in CEL, which it cannot say.
func schemaOf(root object, kind, version string) ([]byte, error) {
	strict(root)
	root["$schema"] = "http://json-schema.org/draft-07/schema#"
	root["title"] = kind
	properties := root["properties"].(object)
	properties["apiVersion"].(object)["enum"] = []any{version}
	properties["kind"].(object)["enum"] = []any{kind}
	// The metadata is Kubernetes' own, and the CRD does not say its fields.
	properties["metadata"].(object)["additionalProperties"] = true
	root["required"] = []any{"apiVersion", "kind", "metadata", "spec"}

	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(root)
	return text.Bytes(), err
}

// strict forbids fields that an object's schema does not name, and drops what only
// an API server understands.
func strict(s object) {
	for key := range s {
		if strings.HasPrefix(key, "x-kubernetes-") {
			delete(s, key)
		}
	}
	if properties, ok := s["properties"].(object); ok {
		if _, said := s["additionalProperties"]; !said {
			s["additionalProperties"] = false
		}
		for _, property := range properties {
			strict(property.(object))
		}
	}
	for _, key := range []string{"items", "additionalProperties"} {
		if inner, ok := s[key].(object); ok {
			strict(inner)
		}
	}
}
