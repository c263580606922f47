// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"slices"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/manifest"
	"windtunnel.dev/windtunnel/pkg/setup"
)

// A ManifestFile is the manifest of a scaler as it was given. The text may have other
// objects in addition to the manifest.
type ManifestFile struct {
	Kind manifest.Kind
	// Scaler is the name of the scaler, and Field its field that holds the manifest.
	Scaler, Field string
	Text          []byte
}

// Manifests are where the manifests of a scenario's route and of its scalers, and the bundles
// of its routers, stand.
func Manifests(in *v1alpha1.Scenario) []*v1alpha1.ManifestSource {
	var all []*v1alpha1.ManifestSource
	if r := in.Route; r != nil {
		for _, source := range []*v1alpha1.ManifestSource{r.HTTPRoute, r.ModelRewrites} {
			if source != nil {
				all = append(all, source)
			}
		}
	}
	for _, b := range Bundles(in) {
		all = append(all, b.Source)
	}
	for i := range in.Scalers {
		for _, f := range setup.ManifestFields {
			if source := *f.Of(&in.Scalers[i]); source != nil {
				all = append(all, source)
			}
		}
	}
	return all
}

// ManifestPath leads to the manifest of a scaler that stands in a field of it.
func ManifestPath(scaler, field string) []Segment {
	return []Segment{{Name: "scalers"}, {Name: scaler, Entry: true}, {Name: field}}
}

// InManifest reports whether a path leads to the manifest of a scaler, or into it.
func InManifest(path []Segment) bool {
	return len(path) > 2 && path[0].Name == "scalers" && path[1].Entry && slices.ContainsFunc(setup.ManifestFields, func(f setup.ManifestField) bool { return path[2] == Segment{Name: f.Name} })
}
