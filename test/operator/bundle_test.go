// SPDX-License-Identifier: Apache-2.0

package operator_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/testing/builder"
)

const bundleHead = "apiVersion: sim.windtunnel.dev/v1alpha1\nkind: PolicyBundle\n"

// bundled is a run that the bundle in a key of the ConfigMap bundles routes.
func bundled(name, key string) *v1alpha1.SimulationRun {
	run := builder.MakeRun(name, "").Seeds(1).Scenario(builder.Requests(50)).Obj()
	run.Spec.Scenario.Router = v1alpha1.Router{Policies: &v1alpha1.Policies{
		Bundle: &v1alpha1.ManifestSource{ConfigMapRef: &v1alpha1.ConfigMapKeyReference{Name: "bundles", Key: key}},
	}}
	return run
}

// What is wrong with a bundle of a ConfigMap is said in the status, with the path in the object
// and that in the document, and nothing runs. A document that is mended runs.
func TestBundlesOfAConfigMap(t *testing.T) {
	t.Parallel()
	p := sharedPlatform(t)
	ns := p.namespace(t)
	refused := map[string]struct {
		text string
		want []string
	}{
		"two-kinds":        {bundleHead + "routing: {decisionTree: {root: {value: 1}}, starlark: {source: x}}", []string{"configMapRef.routing", "exactly one of"}},
		"unknown-signal":   {bundleHead + "routing: {decisionTree: {root: {sum: [{field: endpoints.output_tokens, times: 1}]}}}", []string{"routing.decisionTree.root.sum[0].field"}},
		"another-language": {bundleHead + "routing: {lua: {source: x}}", []string{"configMapRef", "routing.lua: Forbidden: unknown field"}},
		"another-version":  {strings.Replace(bundleHead, "v1alpha1", "v2", 1) + "routing: {builtIn: {policy: random}}", []string{"configMapRef.apiVersion"}},
		"unknown-template": {bundleHead + "routing: {parameterized: {template: magic}}", []string{"routing.parameterized.template", "weighted_affinity_routing"}},
		"out-of-range":     {bundleHead + "routing: {parameterized: {template: weighted_affinity_routing, parameters: {utilization_threshold: 2}}}", []string{"parameters.utilization_threshold", "from 0 to 1"}},
		"nan":              {bundleHead + "routing:\n  decisionTree: {root: {value: .nan}}", []string{"configMapRef", "line 4"}},
		"too-long":         {bundleHead + "routing: {starlark: {source: '" + strings.Repeat("x", 70<<10) + "'}}", []string{"configMapRef", "may not be more than 65536"}},
	}
	bundles := &corev1.ConfigMap{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}, ObjectMeta: metav1.ObjectMeta{Name: "bundles"},
		Data: map[string]string{
			"good":   bundleHead + "routing: {parameterized: {template: weighted_affinity_routing}}",
			"faulty": bundleHead + "routing: {starlark: {source: 'def score(request): return 1'}}",
		},
	}
	runs := map[string]*v1alpha1.SimulationRun{}
	for name, tc := range refused {
		bundles.Data[name], runs[name] = tc.text, bundled(name, name)
	}
	p.create(t, ns, bundles)
	good, faulty := bundled("good", "good"), bundled("faulty", "faulty")
	p.create(t, ns, good)
	p.create(t, ns, faulty)
	for _, run := range runs {
		p.create(t, ns, run)
	}
	for name, run := range runs {
		stalled := p.until(t, run, v1alpha1.ConditionStalled)
		if stalled.Reason != v1alpha1.ReasonInvalid {
			t.Errorf("%s stalls with %s: %s", name, stalled.Reason, stalled.Message)
		}
		for _, want := range append(refused[name].want, "spec.scenario.router.policies.bundle") {
			if !strings.Contains(stalled.Message, want) {
				t.Errorf("%s: no %q in %s", name, want, stalled.Message)
			}
		}
	}
	p.until(t, good, v1alpha1.ConditionComplete)
	if failed := p.until(t, faulty, v1alpha1.ConditionFailed); !strings.Contains(failed.Message, "the routing program, when it was read, line 1") {
		t.Errorf("a program with a fault: %+v", failed)
	}
	edit(t, p, runs["nan"], func(r *v1alpha1.SimulationRun) { r.Spec = *good.Spec.DeepCopy() })
	p.until(t, runs["nan"], v1alpha1.ConditionComplete)
}
