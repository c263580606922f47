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

// schemas returns the text of each schema by its file's name. A sweep's has the scenario
// of a run's, with the descriptions.
func schemas(base fs.FS) (map[string][]byte, error) {
	kinds, err := definitions(base)
	if err != nil {
		return nil, err
	}
	texts := map[string][]byte{}
	for _, def := range kinds {
		for i := range def.Spec.Versions {
			version := &def.Spec.Versions[i]
			describe(version.Schema.OpenAPIV3Schema, kinds[described].Spec.Versions[i].Schema.OpenAPIV3Schema)
			name := fmt.Sprintf("%s/%s_%s.json", def.Spec.Group, strings.ToLower(def.Spec.Names.Kind), version.Name)
			if texts[name], err = schemaOf(def, version); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return texts, nil
}

// schemaOf writes a version's schema as JSON Schema: strict about fields that the
// API server would refuse, and without the rules in CEL, which it cannot say.
func schemaOf(def *apiextensionsv1.CustomResourceDefinition, version *apiextensionsv1.CustomResourceDefinitionVersion) ([]byte, error) {
	raw, err := json.Marshal(version.Schema.OpenAPIV3Schema)
	if err != nil {
		return nil, err
	}
	root := object{}
	if err := json.Unmarshal(raw, &root); err != nil {
		return nil, err
	}
	strict(root)
	root["$schema"] = "http://json-schema.org/draft-07/schema#"
	root["title"] = def.Spec.Names.Kind
	properties := root["properties"].(object)
	properties["apiVersion"].(object)["enum"] = []any{def.Spec.Group + "/" + version.Name}
	properties["kind"].(object)["enum"] = []any{def.Spec.Names.Kind}
	// The metadata is Kubernetes' own, and the CRD does not say its fields.
	properties["metadata"].(object)["additionalProperties"] = true
	root["required"] = []any{"apiVersion", "kind", "metadata", "spec"}

	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err = encoder.Encode(root)
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
