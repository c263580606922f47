// SPDX-License-Identifier: Apache-2.0

package compile_test

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
)

// The four ScaledObjects of llm-d's guides run as they stand. What the linter has against them is true: the saturation is an
// average that AverageValue divides, all replicas may go at once, and one pod in three minutes reaches 5 of 8.
func TestScaledObjectsOfGuides(t *testing.T) {
	router := `apiVersion: llm-d.ai/v1alpha1
kind: EndpointPickerConfig
featureGates: [flowControl]
plugins:
- type: queue-scorer
- type: inflight-load-producer
`
	for name, want := range map[string][]string{
		"queue":       {"down-all-at-once"},
		"saturation":  {"average-of-average", "down-all-at-once"},
		"queue-guard": {"down-all-at-once"},
		"token-aware": {"slow-to-max"},
	} {
		t.Run(name, func(t *testing.T) {
			text := testfile.Read(t, filepath.Join("testdata", "guides", name+".yaml"))
			run, inline := experimenttest.Run(t), string(text)
			scaledBy(v1alpha1.ManifestSource{})(&run.Spec.Scenario)
			s := &run.Spec.Scenario.Scalers[0]
			s.HorizontalPodAutoscaler, s.ScaledObject = nil, &v1alpha1.ManifestSource{Inline: &inline}
			run.Spec.Scenario.Router = v1alpha1.Router{EndpointPickerConfig: v1alpha1.EndpointPickerConfig{Inline: &router}}
			c, errs, err := compile.Run(context.Background(), run, sourceInputs())
			if err != nil || len(errs) > 0 {
				t.Fatal(err, errs)
			}
			var got []string
			for _, f := range c.Plan.Findings {
				if f.Path[:len("spec.scenario.scalers")] == "spec.scenario.scalers" {
					got = append(got, f.Rule)
				}
			}
			slices.Sort(got)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("findings (−want +got):\n%s", diff)
			}
		})
	}
}
