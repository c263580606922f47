// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"slices"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// A RouterBundle is where the bundle of a router stands.
type RouterBundle struct {
	// Model names the router, by its name or else by its model; empty where there is one
	// router.
	Model  string
	Router *v1alpha1.Router
	Source *v1alpha1.ManifestSource
}

// Bundles are those of a scenario's routers.
func Bundles(in *v1alpha1.Scenario) []RouterBundle {
	var all []RouterBundle
	add := func(model string, r *v1alpha1.Router) {
		if r.Policies != nil && r.Policies.Bundle != nil {
			all = append(all, RouterBundle{model, r, r.Policies.Bundle})
		}
	}
	add("", &in.Router)
	for i := range in.Routers {
		add(in.Routers[i].Key(), &in.Routers[i].Router)
	}
	return all
}

// BundlePath leads to the bundle of a model's router.
func BundlePath(model string) []Segment {
	return append(RouterPath(model), Segment{Name: "policies"}, Segment{Name: "bundle"})
}

// InBundle divides a path that leads to the bundle of a router, or into it: by the model
// that the router routes for, and the rest of the path.
func InBundle(path []Segment) (model string, rest []Segment, is bool) {
	if len(path) > 1 && path[1].Entry {
		model = path[1].Name
	}
	to := BundlePath(model)
	if len(path) < len(to) || !slices.Equal(path[:len(to)], to) {
		return "", nil, false
	}
	return model, path[len(to):], true
}

// beneathBundle reports whether a path leads into a bundle.
func beneathBundle(path []Segment) bool {
	_, rest, is := InBundle(path)
	return is && len(rest) > 0
}
