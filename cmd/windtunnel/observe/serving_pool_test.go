// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/types"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/starter/deployment"
)

// TestAScenarioTakesWhatServes has two pools, one of them with an autoscaler, and an EPP of another version.
func TestAScenarioTakesWhatServes(t *testing.T) {
	scenario := func() *v1alpha1.Scenario {
		return &v1alpha1.Scenario{
			Pools:   []v1alpha1.Pool{{Name: "a", Replicas: 2}, {Name: "b", Replicas: 2}},
			Scalers: []v1alpha1.Scaler{{Name: "s", Pools: []string{"b"}}},
			Router:  v1alpha1.Router{EndpointPickerConfig: v1alpha1.EndpointPickerConfig{Version: "router-v0.9"}},
		}
	}
	pool := func(name string) deployment.Pool {
		return deployment.Pool{Pool: v1alpha1.Pool{Name: name, Replicas: 3}, From: "Deployment " + name}
	}
	routers := []deployment.Router{{Picker: deployment.Picker{Text: "plugins: []\n", Version: "router-v0.10", Replicas: 2}}}
	for name, tc := range map[string]struct {
		pools []deployment.Pool
		ready int64
		want  string
	}{
		"both pools":       {[]deployment.Pool{pool("a"), pool("b")}, 3, ""},
		"an unknown one":   {[]deployment.Pool{pool("a"), pool("c")}, 3, "Deployment c of InferencePool serve/llama is no pool of the scenario: name it c there"},
		"none that serves": {[]deployment.Pool{pool("a")}, 0, "no replica of Deployment a is ready"},
	} {
		s, serving := scenario(), servingPool{key: types.NamespacedName{Namespace: "serve", Name: "llama"}, ready: map[string]int64{}}
		for i := range tc.pools {
			serving.ready[tc.pools[i].From] = tc.ready
		}
		err := serving.take(s, &deployment.Cluster{Pools: tc.pools, Routers: routers})
		if tc.want != "" {
			if err == nil || err.Error() != tc.want {
				t.Errorf("%s: the error is %v, want %q", name, err, tc.want)
			}
			continue
		}
		if err != nil || s.Pools[0].Replicas != 3 || s.Pools[1].Replicas != 2 || s.Router.Replicas != 2 || *s.Router.EndpointPickerConfig.Inline != "plugins: []\n" || s.Router.EndpointPickerConfig.Version != "router-v0.10" {
			t.Errorf("%s: the scenario is %+v: %v", name, s, err)
		}
		if text := changes(scenario(), s); text != "pool a: 2 → 3 replicas; the EPP has another configuration" {
			t.Errorf("the changes are %q", text)
		}
	}
	other := scenario()
	other.Routers = []v1alpha1.ModelRouter{{Model: "m", Name: "other"}}
	serving := servingPool{key: types.NamespacedName{Name: "llama"}}
	if err := serving.take(other, &deployment.Cluster{Routers: routers}); err == nil || !strings.Contains(err.Error(), "no router of the scenario is that of InferencePool llama") {
		t.Errorf("the error is %v", err)
	}
}
