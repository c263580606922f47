// SPDX-License-Identifier: Apache-2.0

package advice_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment/advice"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
)

const ownScaledObject = `# as it is in Git
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: {name: llama}
spec:
  scaleTargetRef: {name: llama}
  minReplicaCount: 1 # one must be there
  maxReplicaCount: 4
  triggers:
  - type: prometheus
    metadata: {query: "sum(vllm:num_requests_waiting)", threshold: "5"}
`

// scaling is a sweep that varies the ScaledObject of one of two scalers.
func scaling(t *testing.T) *v1alpha1.PolicySweep {
	t.Helper()
	sweep := experimenttest.Sweep(t)
	scenario := &sweep.Spec.Scenario
	other := scenario.Pools[0]
	other.Name = "other"
	scenario.Pools = append(scenario.Pools, other)
	for _, pool := range scenario.Pools {
		scenario.Scalers = append(scenario.Scalers, v1alpha1.Scaler{
			Name: "of-" + pool.Name, Pools: []string{pool.Name}, ScaledObject: &v1alpha1.ManifestSource{Inline: ptr.To(ownScaledObject)},
			Interval: "15s", Metrics: v1alpha1.ScalerMetrics{ScrapeInterval: "15s"},
		})
	}
	sweep.Spec.Parameters = []v1alpha1.Parameter{
		{Name: "most", Path: "scalers[of-other].scaledObject.spec.maxReplicaCount", Values: []string{"4", "6"}},
		{Name: "threshold", Path: "scalers[of-other].scaledObject.spec.triggers[0].metadata.threshold", Values: []string{"5", "8"}},
	}
	sweep.Spec.Baseline = nil
	return sweep
}

func TestVariedManifestsAreThoseOfParameters(t *testing.T) {
	st := mustStudy(t, scaling(t))
	want := []advice.VariedManifest{{Scaler: "of-other", Title: "the ScaledObject of scaler of-other"}}
	if diff := cmp.Diff(want, advice.VariedManifests(st.Plan)); diff != "" {
		t.Errorf("(−want +got):\n%s", diff)
	}
}

// A run that follows a point has the manifest as it was given, with the point's values.
func TestFollowUpRunKeepsTheTextOfTheManifest(t *testing.T) {
	sweep := scaling(t)
	st := mustStudy(t, sweep)
	run, err := advice.FollowUpRun(st, &sweep.Spec, pointAt(t, st, "most=6 threshold=8"))
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.NewReplacer("maxReplicaCount: 4", "maxReplicaCount: 6", `threshold: "5"`, `threshold: "8"`).Replace(ownScaledObject)
	for i, want := range []string{ownScaledObject, changed} {
		if diff := cmp.Diff(want, *run.Scenario.Scalers[i].ScaledObject.Inline); diff != "" {
			t.Errorf("scaler %d (−want +got):\n%s", i, diff)
		}
	}
}
