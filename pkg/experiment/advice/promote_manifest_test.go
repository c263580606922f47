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
	want := []advice.VariedManifest{{Name: "of-other", Title: "the ScaledObject of scaler of-other"}}
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

const (
	followingHPA = `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
spec:
  scaleTargetRef: {name: decode}
  maxReplicas: 4
  metrics:
  - type: External
    external: {metric: {name: wva_desired_replicas}, target: {type: AverageValue, averageValue: 1}}
`
	ownConfigMap = `apiVersion: v1
kind: ConfigMap
data:
  default: |
    # of all models
    kvCacheThreshold: 0.80
    queueLengthThreshold: 5
    kvSpareTrigger: 0.1
    queueSpareTrigger: 3
`
)

// A scaler may have two manifests, of which each has a name.
func TestManifestsOfAScalerThatFollowsAnAnalyser(t *testing.T) {
	sweep := scaling(t)
	scaler := &sweep.Spec.Scenario.Scalers[1]
	scaler.ScaledObject = nil
	scaler.HorizontalPodAutoscaler = &v1alpha1.ManifestSource{Inline: ptr.To(followingHPA)}
	scaler.WorkloadVariantAutoscaler = &v1alpha1.ManifestSource{Inline: ptr.To(ownConfigMap)}
	sweep.Spec.Parameters = []v1alpha1.Parameter{
		{Name: "most", Path: "scalers[of-other].horizontalPodAutoscaler.spec.maxReplicas", Values: []string{"4", "6"}},
		{Name: "spare", Path: "scalers[of-other].workloadVariantAutoscaler.data.default.kvSpareTrigger", Values: []string{"0.1", "0.25"}},
	}
	st := mustStudy(t, sweep)
	want := []advice.VariedManifest{
		{Name: "of-other", Title: "the HorizontalPodAutoscaler of scaler of-other"},
		{Name: "of-other.workloadVariantAutoscaler", Title: "the ConfigMap of scaler of-other"},
	}
	if diff := cmp.Diff(want, advice.VariedManifests(st.Plan)); diff != "" {
		t.Errorf("(−want +got):\n%s", diff)
	}
	run, err := advice.FollowUpRun(st, &sweep.Spec, pointAt(t, st, "most=6 spare=0.25"))
	if err != nil {
		t.Fatal(err)
	}
	got := []string{*run.Scenario.Scalers[1].HorizontalPodAutoscaler.Inline, *run.Scenario.Scalers[1].WorkloadVariantAutoscaler.Inline}
	changed := []string{strings.Replace(followingHPA, "maxReplicas: 4", "maxReplicas: 6", 1), strings.Replace(ownConfigMap, "0.1", "0.25", 1)}
	if diff := cmp.Diff(changed, got); diff != "" {
		t.Errorf("manifests (−want +got):\n%s", diff)
	}
}
