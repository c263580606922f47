// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment/advice"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/bundle"
)

// evolvingSweep evolves policies, promotes the best one and follows it.
func evolvingSweep() *v1alpha1.PolicySweep {
	evolving := searchedSweep("evolution", 2)
	evolving.Spec.Gates = []v1alpha1.Gate{{Name: "quick", Metric: "ttft.mean", Operator: v1alpha1.AtMost, Value: "1h", Confidence: "0.95"}}
	evolving.Spec.Objectives = []v1alpha1.Objective{{Metric: "e2e.mean", Direction: v1alpha1.Minimize}}
	evolving.Spec.Promote = &v1alpha1.Promotion{Format: v1alpha1.SourceFormat, When: v1alpha1.PromoteWhenComplete}
	evolving.Spec.Follow = &v1alpha1.Follow{Best: 1}
	return evolving
}

// TestEvolvedPoliciesArePromoted has a sweep evolve policies: the best one is promoted with its
// line, the archive has it, and runs follow it.
func TestEvolvedPoliciesArePromoted(t *testing.T) {
	c := newCluster(t)
	evolving := evolvingSweep()
	c.create(evolving)
	c.finish(evolving, rand.New(rand.NewPCG(3, 1)))
	status := c.subject(evolving).(sweep).Status
	best, line := status.Best.Parameters[0].Value, status.Lineage
	if len(line) < 2 || line[0].Point != 0 || line[len(line)-1].Policy != best || status.Promoted == "" {
		t.Fatalf("best %s, lineage %+v, promoted %q", best, line, status.Promoted)
	}
	promoted := c.configMap(t, status.Promoted)
	b, errs := bundle.Read([]byte(promoted.Data[advice.BundleName]), nil)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	if b.ID() != best || b.Parent != line[len(line)-2].Policy || len(b.Mutations) == 0 {
		t.Errorf("promoted %s of %s, want %s of %s", b.ID(), b.Parent, best, line[len(line)-2].Policy)
	}
	if a := promoted.Annotations; a[AnnotationPolicy] != best || a[AnnotationParent] != b.Parent || a[AnnotationGeneration] == "" ||
		!strings.Contains(a[AnnotationLineage], best+": ") {
		t.Errorf("annotations %v", promoted.Annotations)
	}
	if !strings.Contains(promoted.Data[reportKey], "The policy came about in these steps") {
		t.Errorf("report:\n%s", promoted.Data[reportKey])
	}
	archived := slices.IndexFunc(policiesOf(t, c.configMap(t, status.Leaderboard)), func(p advice.ArchivedPolicy) bool { return p.Policy == best && p.Bundle.ID() == best })
	if archived < 0 {
		t.Error("the archive lacks the best policy")
	}
	run := &v1alpha1.SimulationRun{}
	c.must(c.client.Get(t.Context(), client.ObjectKey{Namespace: evolving.Namespace, Name: status.Followed[0]}, run))
	if !strings.Contains(*run.Spec.Scenario.Router.Policies.Bundle.Inline, "policy-"+best) {
		t.Errorf("the run has the bundle\n%s", *run.Spec.Scenario.Router.Policies.Bundle.Inline)
	}
}

func (c *cluster) configMap(t *testing.T, name string) *corev1.ConfigMap {
	t.Helper()
	cm := &corev1.ConfigMap{}
	c.must(c.client.Get(t.Context(), client.ObjectKey{Namespace: "team-a", Name: name}, cm))
	return cm
}

// policiesOf are those of a leaderboard's ConfigMap.
func policiesOf(t *testing.T, cm *corev1.ConfigMap) []advice.ArchivedPolicy {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(cm.BinaryData[leaderboardPolicies]))
	if err != nil {
		t.Fatal(err)
	}
	var all []advice.ArchivedPolicy
	if err := json.NewDecoder(z).Decode(&all); err != nil {
		t.Fatal(err)
	}
	return all
}
