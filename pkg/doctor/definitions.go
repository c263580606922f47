// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/config/crd"
)

// plurals are the kinds' names in their definitions.
var plurals = []string{"policysweeps", "simulationruns"}

// install is the command that brings the definitions of this version.
const install = "kubectl apply --server-side -k config/crd"

// definitions compares the CustomResourceDefinitions with those of this version.
func (c *Cluster) definitions(ctx context.Context) []Finding {
	for _, plural := range plurals {
		name := plural + "." + v1alpha1.GroupVersion.Group
		var there apiextensionsv1.CustomResourceDefinition
		err := c.Get(ctx, apiextensionsv1.SchemeGroupVersion.WithResource("customresourcedefinitions"), types.NamespacedName{Name: name}, &there)
		switch {
		case apierrors.IsNotFound(err):
			return one(Fail, install+c.Flags, "the cluster has no definition of %s", plural)
		case err != nil:
			return cannot("read the definition of "+plural, err)
		}
		ours, err := ownDefinition(plural)
		if err != nil {
			return cannot("read the definition of this version", err)
		}
		if found := c.compare(&there, ours); found != nil {
			return found
		}
	}
	return one(OK, "", "the definitions of both kinds are those of this version")
}

// ownDefinition is that of this version.
func ownDefinition(plural string) (*apiextensionsv1.CustomResourceDefinition, error) {
	raw, err := crd.Bases.ReadFile(fmt.Sprintf("bases/%s_%s.yaml", v1alpha1.GroupVersion.Group, plural))
	if err != nil {
		return nil, err
	}
	var ours apiextensionsv1.CustomResourceDefinition
	return &ours, yaml.Unmarshal(raw, &ours)
}

// compare says what is wrong with a definition; nil where nothing is.
func (c *Cluster) compare(there, ours *apiextensionsv1.CustomResourceDefinition) []Finding {
	version := v1alpha1.GroupVersion.Version
	at := slices.IndexFunc(there.Spec.Versions, func(v apiextensionsv1.CustomResourceDefinitionVersion) bool { return v.Name == version && v.Served })
	if at < 0 {
		return one(Fail, install+c.Flags, "the definition of %s does not serve version %s", there.Spec.Names.Plural, version)
	}
	if stored := there.Status.StoredVersions; len(stored) > 0 && !slices.Equal(stored, []string{version}) {
		return one(Warn, "", "objects of %s are stored as %v: docs/adr/0010-v1beta1-migration.md says how to store them anew", there.Spec.Names.Plural, stored)
	}
	if !reflect.DeepEqual(plain(there.Spec.Versions[at].Schema), plain(ours.Spec.Versions[0].Schema)) {
		return one(Warn, install+c.Flags, "the schema of %s is another one than that of this version: a field that one of the two does not know is refused or dropped", there.Spec.Names.Plural)
	}
	return nil
}

// plain is a schema as JSON has it, in which what is absent and what is empty are one.
func plain(schema *apiextensionsv1.CustomResourceValidation) any {
	raw, err := json.Marshal(schema)
	if err != nil {
		return err
	}
	var value any
	if err := json.Unmarshal(raw, &value); err != nil {
		return err
	}
	return value
}
