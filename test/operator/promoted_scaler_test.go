// SPDX-License-Identifier: Apache-2.0

package operator_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
)

// TestAScalerIsPromotedWithANativeRouter has a sweep whose router has no EPP configuration
// vary the manifest of a scaler: the manifest is promoted.
func TestAScalerIsPromotedWithANativeRouter(t *testing.T) {
	t.Parallel()
	p := sharedPlatform(t)
	ns := p.namespace(t)
	raw := testfile.Read(t, "../../config/samples/policysweep-hpa.yaml")
	var sweep v1alpha1.PolicySweep
	if err := yaml.UnmarshalStrict(raw, &sweep); err != nil {
		t.Fatal(err)
	}
	s := &sweep.Spec
	s.Scenario.Router = v1alpha1.Router{Policies: &v1alpha1.Policies{Routing: v1alpha1.RoutingPolicy{Policy: "least-loaded"}}}
	s.Promote = &v1alpha1.Promotion{When: v1alpha1.PromoteWhenComplete}
	s.Parameters = []v1alpha1.Parameter{{Name: "target", Path: s.Parameters[0].Path, Values: []string{"10"}}}
	s.Baseline = nil
	s.Replications = v1alpha1.Replications{Seeds: []int64{1}}
	p.create(t, ns, &sweep)
	p.until(t, &sweep, v1alpha1.ConditionReady)
	var promoted corev1.ConfigMap
	if err := p.client.Get(t.Context(), types.NamespacedName{Namespace: ns, Name: sweep.Status.Promoted}, &promoted); err != nil {
		t.Fatal(err)
	}
	const key = "scaler-llama.yaml"
	if keys := slices.Sorted(maps.Keys(promoted.Data)); !slices.Equal(keys, []string{"report.md", key}) {
		t.Errorf("the keys are %q", keys)
	}
	want := strings.Replace(*s.Scenario.Scalers[0].HorizontalPodAutoscaler.Inline, `averageValue: "20"`, `averageValue: "10"`, 1)
	if promoted.Data[key] != want {
		t.Errorf("the manifest is\n%s\nwant\n%s", promoted.Data[key], want)
	}
}
