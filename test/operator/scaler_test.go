// SPDX-License-Identifier: Apache-2.0

package operator_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/testing/builder"
)

const autoscaler = `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: llama}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: llama}
  minReplicas: 1
  maxReplicas: 4
  metrics:
  - type: Pods
    pods:
      metric: {name: "vllm:num_requests_running"}
      target: {type: AverageValue, averageValue: "2"}
`

// A manifest of an autoscaler in a ConfigMap is an input of the run, and the status has its
// digest.
func TestARunReadsAnAutoscalerFromAConfigMap(t *testing.T) {
	t.Parallel()
	p := sharedPlatform(t)
	ns := p.namespace(t)
	cm := &corev1.ConfigMap{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}, ObjectMeta: metav1.ObjectMeta{Name: "autoscalers"}, Data: map[string]string{"hpa.yaml": autoscaler}}
	run := builder.MakeRun("scaled", "").Obj()
	run.Spec.Scenario.Scalers = []v1alpha1.Scaler{{
		Name: "hpa", Pools: []string{run.Spec.Scenario.Pools[0].Name},
		HorizontalPodAutoscaler: &v1alpha1.ManifestSource{ConfigMapRef: &v1alpha1.ConfigMapKeyReference{Name: cm.Name, Key: "hpa.yaml"}},
	}}
	want := p.runLocally(t, run, cm)
	p.create(t, ns, cm)
	p.create(t, ns, run)
	p.until(t, run, v1alpha1.ConditionComplete)
	if diff := cmp.Diff(want.rows(t), p.rows(t, run)); diff != "" {
		t.Errorf("rows (-local +cluster):\n%s", diff)
	}
	if len(run.Status.Inputs) != 1 || run.Status.Inputs[0].SHA256 == "" {
		t.Errorf("inputs %+v, want the manifest with its digest", run.Status.Inputs)
	}
}
