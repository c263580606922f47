// SPDX-License-Identifier: Apache-2.0

package operator_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/bundle"
)

// TestPoliciesEvolveInACluster runs a part of the sample with 1 and with 4 shards: the rows and
// the best policy are the same, and the best one is promoted as a bundle with its line.
func TestPoliciesEvolveInACluster(t *testing.T) {
	t.Parallel()
	p := sharedPlatform(t)
	raw := testfile.Read(t, "../../config/samples/policysweep-evolve.yaml")
	text := strings.NewReplacer("maxTrials: 240", "maxTrials: 36", "requests: 1000, warmup: 5s", "requests: 200", "promote: {}", "promote: {when: Complete}").Replace(string(raw))
	digests := map[string]bool{}
	for _, shards := range []int32{1, 4} {
		var sweep v1alpha1.PolicySweep
		if err := yaml.UnmarshalStrict([]byte(text), &sweep); err != nil {
			t.Fatal(err)
		}
		sweep.Spec.Execution.Shards = shards
		p.create(t, p.namespace(t), &sweep)
		p.until(t, &sweep, v1alpha1.ConditionComplete)
		best := sweep.Status.Best.Parameters[0].Value
		digests[sweep.Status.Results.Digest+" "+best] = true
		line := sweep.Status.Lineage
		if len(line) < 2 || line[len(line)-1].Policy != best || sweep.Status.Baseline.Point != 0 {
			t.Errorf("%d shards: best %s, lineage %+v", shards, best, line)
		}
		var promoted corev1.ConfigMap
		if err := p.client.Get(t.Context(), client.ObjectKey{Namespace: sweep.Namespace, Name: sweep.Status.Promoted}, &promoted); err != nil {
			t.Fatal(err)
		}
		checkPromoted(t, &promoted, best)
	}
	if len(digests) != 1 {
		t.Errorf("the digests and best policies are %v", digests)
	}
}

func checkPromoted(t *testing.T, promoted *corev1.ConfigMap, best string) {
	t.Helper()
	b, errs := bundle.Read([]byte(promoted.Data["bundle.yaml"]), nil)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	if b.ID() != best || b.Parent == "" || promoted.Annotations["sim.windtunnel.dev/policy"] != best || !metav1.HasAnnotation(promoted.ObjectMeta, "sim.windtunnel.dev/lineage") {
		t.Errorf("promoted %s of %q, annotations %v", b.ID(), b.Parent, promoted.Annotations)
	}
}
