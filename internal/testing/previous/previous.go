// SPDX-License-Identifier: Apache-2.0

// Package previous has the CustomResourceDefinitions of the previous release, from which
// the upgrade tests start. `make previous-crds` writes them. Before the first release
// they are the definitions of 22 November 2026.
package previous

import (
	"bytes"
	"compress/gzip"
	"embed"
	"io"
	"io/fs"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

//go:embed *.yaml.gz
var files embed.FS

// Definitions returns the definitions by their kind.
func Definitions(t *testing.T) map[string]*apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	names, err := fs.Glob(files, "*.yaml.gz")
	if err != nil {
		t.Fatal(err)
	}
	definitions := map[string]*apiextensionsv1.CustomResourceDefinition{}
	for _, name := range names {
		definition := read(t, name)
		definitions[definition.Spec.Names.Kind] = definition
	}
	return definitions
}

func read(t *testing.T, name string) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	packed, err := files.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	definition := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict(text, definition); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return definition
}
