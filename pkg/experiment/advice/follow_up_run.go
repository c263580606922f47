// SPDX-License-Identifier: Apache-2.0

package advice

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/preset"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
	"windtunnel.dev/windtunnel/pkg/setup"
)

// followedDecisions is how many requests' decisions a run that follows a sweep
// keeps: as many as it may.
const followedDecisions = 1000

// FollowUpRun returns what simulates a point of a sweep once more, with traces: the
// sweep's scenario with the point's values, under the same seeds. References of
// the scenario stay as they are.
func FollowUpRun(s *study.Study, sweep *v1alpha1.PolicySweepSpec, point int) (v1alpha1.SimulationRunSpec, error) {
	scenario, err := scenarioOf(s, &sweep.Scenario, point)
	if err != nil {
		return v1alpha1.SimulationRunSpec{}, err
	}
	decisions := int32(followedDecisions)
	run := v1alpha1.SimulationRunSpec{
		Scenario:     *scenario,
		Replications: sweep.Replications,
		Metrics:      sweep.Metrics,
		Trace:        v1alpha1.RunTrace{Level: v1alpha1.DecisionsTrace, Decisions: &decisions},
	}
	if scenario.Router.Policies != nil || slices.ContainsFunc(scenario.Routers, func(r v1alpha1.ModelRouter) bool { return r.Policies != nil }) {
		run.Trace = v1alpha1.RunTrace{Level: v1alpha1.MinimalTrace}
	}
	// What precision chose of a sweep is the search's.
	run.Replications.Precision, run.Replications.Metric, run.Replications.MaxCount = "", "", nil
	return run, nil
}

// scenarioOf is a sweep's scenario with a point's values in it.
func scenarioOf(s *study.Study, base *v1alpha1.Scenario, id int) (*v1alpha1.Scenario, error) {
	point := s.Points()[id]
	root, err := experiment.ToTree(preset.Expand(base))
	if err != nil {
		return nil, err
	}
	for _, i := range experiment.InOrder(s.Plan.Parameters) {
		p, value := &s.Plan.Parameters[i], point.Values[i].Value
		if value == "" || p.Profiles != nil || p.Evolve != nil || experiment.BeneathPickerConfig(p.Segments) || experiment.InManifest(p.Segments) || inBundle(p.Segments) {
			continue // setPickers writes the configurations, those of alternatives too, setManifests manifests, and setBundles bundles
		}
		if err := p.Set(root, value); err != nil {
			return nil, fmt.Errorf("parameter %s: %w", p.Name, err)
		}
	}
	var scenario v1alpha1.Scenario
	if err := json.Unmarshal(setup.TreeJSON(root), &scenario); err != nil {
		return nil, err
	}
	if err := setManifests(s, &scenario, id); err != nil {
		return nil, err
	}
	if err := setBundles(s, &scenario, id); err != nil {
		return nil, err
	}
	err = setPickers(s, &scenario, id)
	return &scenario, err
}

// setManifests gives scalers the manifests of a point where parameters reach into them.
func setManifests(s *study.Study, scenario *v1alpha1.Scenario, id int) error {
	root, err := s.Plan.ScenarioAt(s.Points()[id], 1)
	if err != nil {
		return err
	}
	for i := range s.Plan.Parameters {
		path := s.Plan.Parameters[i].Segments
		if !experiment.InManifest(path) {
			continue
		}
		for k := range scenario.Scalers {
			for _, f := range setup.ManifestFields {
				if scenario.Scalers[k].Name == path[1].Name && f.Name == path[2].Name {
					text, err := manifestOf(s, id, root, &f, path[:3])
					if err != nil {
						return err
					}
					*f.Of(&scenario.Scalers[k]) = &v1alpha1.ManifestSource{Inline: &text}
				}
			}
		}
	}
	return nil
}

// manifestOf is the manifest at a path of a point's scenario: as it was given, with the
// point's values; where they cannot be written into that, as it is simulated.
func manifestOf(s *study.Study, id int, scenario experiment.Tree, f *setup.ManifestField, path []experiment.Segment) (string, error) {
	if p, err := promoteManifest(s, id, f.NameOf(path[1].Name)); err == nil {
		return p.Text, nil
	}
	raw, err := yaml.JSONToYAML([]byte(textAt(scenario, f.Kind, path)))
	return string(raw), err
}

// setPickers gives the routers of a scenario the EPP configurations of a point.
func setPickers(s *study.Study, scenario *v1alpha1.Scenario, id int) (err error) {
	if len(scenario.Routers) == 0 && scenario.Router.Policies == nil {
		scenario.Router.EndpointPickerConfig, err = pickerOf(s, id, "")
	}
	for i := range scenario.Routers {
		if r := &scenario.Routers[i]; r.Policies == nil && err == nil {
			r.EndpointPickerConfig, err = pickerOf(s, id, r.Model)
		}
	}
	return err
}

// pickerOf is the EPP configuration of a model's router at a point: as it was given, with
// the point's values; where they cannot be written into that, as the EPP sees it.
func pickerOf(s *study.Study, id int, model string) (v1alpha1.EndpointPickerConfig, error) {
	if p, err := promoteRouter(s, id, model, v1alpha1.DocumentFormat); err == nil {
		return v1alpha1.EndpointPickerConfig{Version: p.Version, Inline: &p.Text}, nil
	}
	scenario, err := s.Plan.ScenarioAt(s.Points()[id], 1)
	if err != nil {
		return v1alpha1.EndpointPickerConfig{}, err
	}
	document := maps.Clone(pickerDocument(scenario, model))
	version, _ := document[setup.VersionField].(string)
	delete(document, setup.VersionField)
	raw, err := yaml.JSONToYAML(setup.TreeJSON(document))
	text := string(raw)
	return v1alpha1.EndpointPickerConfig{Version: version, Inline: &text}, err
}
