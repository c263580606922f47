// SPDX-License-Identifier: Apache-2.0

package operator_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/controllers"
	"windtunnel.dev/windtunnel/internal/testing/jsontest"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
)

// treeService proposes a tree for each inquiry, and counts the requests with a header.
func treeService(t *testing.T, withHeader *atomic.Int64) string {
	t.Helper()
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "Bearer hidden" {
			withHeader.Add(1)
		}
		var q struct{ Generation, Island int }
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
			t.Error(err)
		}
		fmt.Fprintf(w, `{"policies": [{"note": "by hand", "bundle": {"apiVersion": "sim.windtunnel.dev/v1alpha1", "kind": "PolicyBundle",
			"routing": {"signals": ["prefix-affinity", "in-flight"], "decisionTree": {"root": {"sum": [
				{"field": "endpoints.prefix_affinity", "times": %d.%d}, {"field": "endpoints.in_flight", "times": -0.1}]}}}}},
			{"language": "starlark", "policy": "broken"}]}`, q.Generation, q.Island+1)
	}))
	t.Cleanup(service.Close)
	return service.URL
}

// askingSweep is a part of the sample that asks a service.
func askingSweep(t *testing.T, service v1alpha1.Proposer, shards int32) *v1alpha1.PolicySweep {
	t.Helper()
	raw := testfile.Read(t, "../../config/samples/policysweep-evolve.yaml")
	text := strings.NewReplacer("maxTrials: 240", "maxTrials: 36", "requests: 1000, warmup: 5s", "requests: 200", "promote: {}", "promote: {when: Complete}").Replace(string(raw))
	var sweep v1alpha1.PolicySweep
	if err := yaml.UnmarshalStrict([]byte(text), &sweep); err != nil {
		t.Fatal(err)
	}
	sweep.Spec.Parameters[0].Evolve.Proposer, sweep.Spec.Execution.Shards = &service, shards
	return &sweep
}

// TestAProposerAnswersInACluster has a service answer sweeps in 1 and 3 shards: their rows are
// those of the local verb with the same service.
func TestAProposerAnswersInACluster(t *testing.T) {
	t.Parallel()
	p := sharedPlatform(t)
	var withHeader atomic.Int64
	service := v1alpha1.Proposer{URL: treeService(t, &withHeader), HeaderSecretRef: &v1alpha1.ProposerSecretReference{Name: "windtunnel-proposer-a", Key: "header"}}
	file := filepath.Join(t.TempDir(), "sweep.yaml")
	testfile.Write(t, file, p.manifest(t, askingSweep(t, service, 1)))
	out := jsontest.Decode[local](t, p.verb(t, "sweep", "-f", file, "--proposer", service.URL, "-o", "json"))
	for _, shards := range []int32{1, 3} {
		ns := p.namespace(t)
		secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "windtunnel-proposer-a"}, StringData: map[string]string{"header": "Bearer hidden", "origin": service.URL}}
		if err := p.client.Create(t.Context(), secret); err != nil {
			t.Fatal(err)
		}
		before, sweep := withHeader.Load(), askingSweep(t, service, shards)
		p.create(t, ns, sweep)
		p.until(t, sweep, v1alpha1.ConditionComplete)
		if p.rows(t, sweep) != out.rows(t) {
			t.Errorf("%d shards: the rows are not those of the local verb", shards)
		}
		journals := p.configMaps(t, ns, controllers.ComponentJournal)
		if asked := withHeader.Load() - before; asked == 0 || len(journals) == 0 {
			t.Errorf("%d shards: %d requests with the header, %d ConfigMaps of answers", shards, asked, len(journals))
		}
		if c := meta.FindStatusCondition(sweep.Status.Conditions, v1alpha1.ConditionProposerFailed); c != nil {
			t.Errorf("%d shards: condition %+v", shards, c)
		}
	}
}

// TestAProposerThatIsDown has no service: the sweep goes on, and says so.
func TestAProposerThatIsDown(t *testing.T) {
	t.Parallel()
	p := sharedPlatform(t)
	ns, sweep := p.namespace(t), askingSweep(t, v1alpha1.Proposer{URL: "http://127.0.0.1:1/propose"}, 1)
	p.create(t, ns, sweep)
	p.until(t, sweep, v1alpha1.ConditionComplete)
	c := meta.FindStatusCondition(sweep.Status.Conditions, v1alpha1.ConditionProposerFailed)
	if c == nil || c.Reason != v1alpha1.ReasonNoProposals || !strings.Contains(c.Message, "connection refused") {
		t.Errorf("condition %+v", c)
	}
	p.untilEvent(t, ns, v1alpha1.ReasonNoProposals)
}
