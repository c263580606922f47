// SPDX-License-Identifier: Apache-2.0

package crd_test

import (
	"context"
	"io/fs"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/config/crd"
)

// An API server refuses a CRD whose rules do not compile, cost too much, or do
// not hold for its own defaults. Nothing else finds that before a cluster does.
func TestAPIServerWouldInstallEveryDefinition(t *testing.T) {
	files, err := fs.Glob(crd.Bases, "bases/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != 2 {
		t.Errorf("%d files embedded, want 2: %v", len(files), files)
	}
	for _, file := range files {
		text, err := crd.Bases.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var def apiextensionsv1.CustomResourceDefinition
		if err := yaml.UnmarshalStrict(text, &def); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		apiextensionsv1.SetObjectDefaults_CustomResourceDefinition(&def)
		var internal apiextensions.CustomResourceDefinition
		if err := apiextensionsv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(&def, &internal, nil); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		// An API server sets it on create.
		internal.Status.StoredVersions = []string{"v1alpha1"}
		for _, fault := range validation.ValidateCustomResourceDefinition(context.Background(), &internal) {
			t.Errorf("%s: %v", file, fault)
		}
	}
}
