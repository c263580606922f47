// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"

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
	v1alpha1.SimulationRunKind: sync.OnceValue(func() *definition { return load(v1alpha1.SimulationRunKind) }),
	v1alpha1.PolicySweepKind:   sync.OnceValue(func() *definition { return load(v1alpha1.PolicySweepKind) }),
}

// load panics where the embedded schema is not one that an API server takes: it is
// generated and tested, so that a broken one is a broken build.
func load(kind string) *definition {
	props, err := readSchema(kind)
	if err != nil {
		panic(fmt.Sprintf("embedded schema of %s: %v", kind, err))
	}
	// Defaults need no pruning: a test holds that they have no unknown fields.
	structural, err := schema.NewStructural(props)
	if err != nil {
		panic(fmt.Sprintf("embedded schema of %s: %v", kind, err))
	}
	openAPI, _, err := validation.NewSchemaValidator(props)
	if err != nil {
		panic(fmt.Sprintf("embedded schema of %s: %v", kind, err))
	}
	return &definition{
		kind:       kind,
		structural: structural,
		openAPI:    openAPI,
		rules:      newRules(structural, true),
	}
}

func readSchema(kind string) (*apiextensions.JSONSchemaProps, error) {
	raw, err := crd.Validation.ReadFile("validation/" + strings.ToLower(kind) + ".json")
	if err != nil {
		return nil, err
	}
	var props apiextensionsv1.JSONSchemaProps
	if err := json.Unmarshal(raw, &props); err != nil {
		return nil, err
	}
	var internal apiextensions.JSONSchemaProps
	err = apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&props, &internal, nil)
	return &internal, err
}
