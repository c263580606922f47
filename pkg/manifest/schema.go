// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"fmt"
	"sync"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/config/crd"
)

// A definition is one kind's schema, in the form that each stage of reading
// takes. It may be used concurrently.
type definition struct {
	kind       string
	structural *schema.Structural
	openAPI    validation.SchemaValidator
	rules      *rules
}

// definitions are built on first use: a command reads one kind, rarely both.
var definitions = map[string]func() *definition{
	v1alpha1.SimulationRunKind: sync.OnceValue(func() *definition { return load(v1alpha1.SimulationRunKind, "simulationruns") }),
	v1alpha1.PolicySweepKind:   sync.OnceValue(func() *definition { return load(v1alpha1.PolicySweepKind, "policysweeps") }),
}

// load panics where the embedded CRD is not one that an API server takes: it is
// generated and tested, so that a broken one is a broken build.
func load(kind, plural string) *definition {
	file := fmt.Sprintf("bases/%s_%s.yaml", v1alpha1.GroupVersion.Group, plural)
	props, err := readSchema(file)
	if err != nil {
		panic(fmt.Sprintf("embedded CRD %s: %v", file, err))
	}
	structural, err := newStructural(props)
	if err != nil {
		panic(fmt.Sprintf("embedded CRD %s: %v", file, err))
	}
	openAPI, _, err := validation.NewSchemaValidator(props)
	if err != nil {
		panic(fmt.Sprintf("embedded CRD %s: %v", file, err))
	}
	return &definition{
		kind:       kind,
		structural: structural,
		openAPI:    openAPI,
		rules:      newRules(structural),
	}
}

func readSchema(file string) (*apiextensions.JSONSchemaProps, error) {
	raw, err := crd.Bases.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var def apiextensionsv1.CustomResourceDefinition
	if err := yaml.UnmarshalStrict(raw, &def); err != nil {
		return nil, err
	}
	for _, v := range def.Spec.Versions {
		if v.Name != v1alpha1.GroupVersion.Version {
			continue
		}
		var internal apiextensions.CustomResourceValidation
		err := apiextensionsv1.Convert_v1_CustomResourceValidation_To_apiextensions_CustomResourceValidation(v.Schema, &internal, nil)
		return internal.OpenAPIV3Schema, err
	}
	return nil, fmt.Errorf("no version %s", v1alpha1.GroupVersion.Version)
}

func newStructural(props *apiextensions.JSONSchemaProps) (*schema.Structural, error) {
	s, err := schema.NewStructural(props)
	if err != nil {
		return nil, err
	}
	// Defaults are shared with props until they are copied.
	s = s.DeepCopy()
	return s, defaulting.PruneDefaults(s)
}
