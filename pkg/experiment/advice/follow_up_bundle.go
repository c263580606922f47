// SPDX-License-Identifier: Apache-2.0

package advice

import (
	"slices"

	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
	"windtunnel.dev/windtunnel/pkg/setup"
)

// inBundle reports whether a path leads into the bundle of a router.
func inBundle(path []experiment.Segment) bool {
	_, rest, is := experiment.InBundle(path)
	return is && len(rest) > 0
}

// setBundles gives routers the bundles of a point where parameters reach into them: as the
// point has them, in YAML.
func setBundles(s *study.Study, scenario *v1alpha1.Scenario, id int) error {
	root, err := s.Plan.ScenarioAt(s.Points()[id], 1)
	if err != nil {
		return err
	}
	for _, b := range experiment.Bundles(scenario) {
		reached := func(p experiment.Parameter) bool {
			model, rest, is := experiment.InBundle(p.Segments)
			return is && (len(rest) > 0 || p.Evolve != nil) && model == b.Model
		}
		if !slices.ContainsFunc(s.Plan.Parameters, reached) {
			continue
		}
		text, err := bundleText(s, id, b.Model, root)
		if err != nil {
			return err
		}
		b.Router.Policies.Bundle = &v1alpha1.ManifestSource{Inline: &text}
	}
	return nil
}

// bundleText is the bundle of a model's router at a point, whose scenario is root.
func bundleText(s *study.Study, id int, model string, root experiment.Tree) (string, error) {
	evolved, err := policyAt(s, id, model)
	if err != nil {
		return "", err
	}
	if evolved != nil {
		return bundleYAML(evolved)
	}
	raw, err := yaml.JSONToYAML(setup.TreeJSON(experiment.Lookup(root, experiment.BundlePath(model))))
	return string(raw), err
}
