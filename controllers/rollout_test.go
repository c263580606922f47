// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/testing/builder"
)

// gated is a sweep with one gate, which promotes and follows.
func gated(bound v1alpha1.MetricBound, seeds ...int64) *v1alpha1.PolicySweep {
	sweep := weights().Seeds(seeds...).Obj()
	sweep.Spec.Gates = []v1alpha1.Gate{{Name: "quick", Metric: "ttft.mean", Operator: v1alpha1.AtMost, Value: bound, Confidence: "0.95"}}
	sweep.Spec.Promote = &v1alpha1.Promotion{Format: v1alpha1.SourceFormat, When: v1alpha1.PromoteWhenPassed}
	sweep.Spec.Follow = &v1alpha1.Follow{Best: 2}
	return sweep
}

// TestGatesEndInTheRightCondition has a gate that passes, one that fails and one
// of which one seed says too little. Only the first one promotes.
func TestGatesEndInTheRightCondition(t *testing.T) {
	for name, tc := range map[string]struct {
		sweep    *v1alpha1.PolicySweep
		want     metav1.ConditionStatus
		reason   string
		promoted string
	}{
		"one that passes":         {gated("1h", 1, 2, 3), metav1.ConditionTrue, v1alpha1.ReasonGatesPassed, "weights-promoted"},
		"one that fails":          {gated("1ns", 1, 2, 3), metav1.ConditionFalse, v1alpha1.ReasonGateFailed, ""},
		"one that nobody decides": {gated("1h", 1), metav1.ConditionUnknown, v1alpha1.ReasonUndecided, ""},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCluster(t)
			c.create(tc.sweep)
			c.reconcile(tc.sweep)
			before := meta.FindStatusCondition(c.subject(tc.sweep).status().Conditions, v1alpha1.ConditionPassed)
			if before == nil || before.Status != metav1.ConditionUnknown || before.Reason != v1alpha1.ReasonPending {
				t.Errorf("while it runs Passed is %+v", before)
			}
			c.restart()
			c.finish(tc.sweep, rand.New(rand.NewPCG(1, 1)))
			sw := c.subject(tc.sweep).(sweep)
			got := meta.FindStatusCondition(sw.Status.Conditions, v1alpha1.ConditionPassed)
			if got.Status != tc.want || got.Reason != tc.reason || len(sw.Status.Gates) != 1 {
				t.Errorf("Passed is %s (%s): %s; gates %v", got.Status, got.Reason, got.Message, sw.Status.Gates)
			}
			if !isTrue(sw.status(), v1alpha1.ConditionReady) {
				t.Error("it is not Ready")
			}
			if sw.Status.Promoted != tc.promoted || len(sw.Status.Followed) != 2 {
				t.Errorf("promoted %q, followed %v", sw.Status.Promoted, sw.Status.Followed)
			}
		})
	}
}

// TestABaselineThatIsBestIsKept: a gate that compares the best point with the
// baseline says nothing where both are the same, and nothing is promoted.
func TestABaselineThatIsBestIsKept(t *testing.T) {
	c := newCluster(t)
	sweep := gated("1h", 1, 2, 3)
	c.create(sweep)
	c.reconcile(sweep)
	c.finish(sweep, rand.New(rand.NewPCG(1, 1)))
	values := sweepOf(c, sweep).Status.Best.Parameters
	kept := gated("1h", 1, 2, 3)
	kept.Name = "kept"
	kept.Spec.Baseline = &v1alpha1.Baseline{Parameters: values}
	kept.Spec.Gates[0].Value, kept.Spec.Gates[0].VersusBaseline = "", "5%"
	c.create(kept)
	c.reconcile(kept)
	c.finish(kept, rand.New(rand.NewPCG(1, 1)))
	sw := sweepOf(c, kept)
	got := meta.FindStatusCondition(sw.Status.Conditions, v1alpha1.ConditionPassed)
	if got.Status != metav1.ConditionFalse || got.Reason != v1alpha1.ReasonBaselineIsBest || !strings.HasPrefix(got.Message, "keep what you have: ") {
		t.Errorf("Passed is %s (%s): %s", got.Status, got.Reason, got.Message)
	}
	if sw.Status.Promoted != "" || sw.Status.Gates[0].Verdict != v1alpha1.GateNotJudged {
		t.Errorf("promoted %q, gates %v", sw.Status.Promoted, sw.Status.Gates)
	}
}

func sweepOf(c *cluster, o *v1alpha1.PolicySweep) *v1alpha1.PolicySweep {
	return c.subject(o).object().(*v1alpha1.PolicySweep)
}

func TestWhatIsPromotedAndFollowed(t *testing.T) {
	c := newCluster(t)
	sweep := gated("1h", 1, 2, 3)
	c.create(sweep)
	c.finish(sweep, rand.New(rand.NewPCG(1, 1)))
	var cm corev1.ConfigMap
	c.must(c.client.Get(t.Context(), client.ObjectKey{Namespace: "team-a", Name: "weights-promoted"}, &cm))
	if !strings.Contains(cm.Data[reportKey], "# PolicySweep weights") || len(cm.Data) != 2 || !ownedBy(&cm, sweepSubject(sweep)) && cm.OwnerReferences[0].Name != "weights" {
		t.Errorf("it holds %v", cm.Data)
	}
	for _, name := range followedBy(c.subject(sweep)) {
		run := &v1alpha1.SimulationRun{}
		c.must(c.client.Get(t.Context(), client.ObjectKey{Namespace: "team-a", Name: name}, run))
		run.Generation = 1
		if run.Spec.Trace.Level != v1alpha1.DecisionsTrace || len(run.OwnerReferences) != 1 {
			t.Errorf("run %s: %+v", name, run.ObjectMeta)
		}
	}
	edit(c, sweep, func(s *v1alpha1.PolicySweep) { s.Spec.Promote, s.Spec.Follow = nil, nil })
	c.reconcile(sweep)
	if err := c.client.Get(t.Context(), client.ObjectKeyFromObject(&cm), &cm); err == nil {
		t.Error("what is promoted is left though nothing is to be")
	}
	var runs v1alpha1.SimulationRunList
	c.must(c.client.List(t.Context(), &runs))
	if len(runs.Items) > 0 {
		t.Errorf("%d runs are left", len(runs.Items))
	}
}

// TestVariedManifestsArePromoted has a sweep vary the manifest of a scaler: the ConfigMap
// holds the manifest, beside the EPP configuration if there is one, and the report says
// what changes in it.
func TestVariedManifestsArePromoted(t *testing.T) {
	const hpa = `# as it is in Git
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: llama}
spec:
  scaleTargetRef: {kind: Deployment, name: llama}
  maxReplicas: %d
  metrics:
  - type: Pods
    pods:
      metric: {name: "vllm:num_requests_running"}
      target: {type: AverageValue, averageValue: "8"}
`
	for name, tc := range map[string]struct {
		key  string // of the EPP configuration; empty for a native router
		want []string
		said string
	}{
		"beside the configuration": {"epp.yaml", []string{"epp.yaml", reportKey, "scaler-hpa.yaml"}, ""},
		"where the key is taken":   {"scaler-hpa.yaml", nil, "nothing is promoted: the EPP configuration has the key scaler-hpa.yaml"},
		"with a native router":     {"", []string{reportKey, "scaler-hpa.yaml"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCluster(t)
			cm := configMapMetadata()
			sweep := gated("1h", 1, 2, 3)
			if tc.key == "" {
				sweep.Spec.Scenario.Router = v1alpha1.Router{Policies: &v1alpha1.Policies{Routing: v1alpha1.RoutingPolicy{Policy: "least-loaded"}}}
				sweep.Spec.Parameters = nil // those of the EPP
			} else {
				files := &corev1.ConfigMap{ObjectMeta: cm.ObjectMeta, Data: map[string]string{tc.key: builder.DefaultPickerConfig}}
				files.Namespace, files.Name = sweep.Namespace, "files"
				c.create(files)
				sweep.Spec.Scenario.Router.EndpointPickerConfig = v1alpha1.EndpointPickerConfig{ConfigMapRef: &v1alpha1.EndpointPickerConfigMap{Name: "files", Key: tc.key}}
			}
			sweep.Spec.Scenario.Scalers = []v1alpha1.Scaler{{
				Name: "hpa", Pools: []string{"llama"}, HorizontalPodAutoscaler: &v1alpha1.ManifestSource{Inline: ptr.To(fmt.Sprintf(hpa, 5))},
				Interval: "15s", Metrics: v1alpha1.ScalerMetrics{ScrapeInterval: "15s"},
			}}
			sweep.Spec.Parameters = append(sweep.Spec.Parameters, v1alpha1.Parameter{
				Name: "most", Path: "scalers[hpa].horizontalPodAutoscaler.spec.maxReplicas", Values: []string{"7"},
			})
			c.create(sweep)
			c.finish(sweep, rand.New(rand.NewPCG(1, 1)))
			got := meta.FindStatusCondition(sweepOf(c, sweep).Status.Conditions, v1alpha1.ConditionReady)
			if got == nil || !strings.Contains(got.Message, tc.said) {
				t.Errorf("condition Ready is %+v, want %q", got, tc.said)
			}
			var promoted corev1.ConfigMap
			err := c.client.Get(t.Context(), client.ObjectKey{Namespace: sweep.Namespace, Name: "weights-promoted"}, &promoted)
			if keys := slices.Sorted(maps.Keys(promoted.Data)); !slices.Equal(keys, tc.want) {
				t.Fatalf("the keys are %q, want %q: %v", keys, tc.want, err)
			}
			if tc.want == nil {
				return
			}
			if diff := cmp.Diff(fmt.Sprintf(hpa, 7), promoted.Data["scaler-hpa.yaml"]); diff != "" {
				t.Errorf("the manifest (−want +got):\n%s", diff)
			}
			if want := "In the HorizontalPodAutoscaler of scaler hpa:\n\n```diff\n"; !strings.Contains(promoted.Data[reportKey], want) ||
				!strings.Contains(promoted.Data[reportKey], "\n-  maxReplicas: 5\n+  maxReplicas: 7\n") {
				t.Errorf("the report has no change of the manifest:\n%s", promoted.Data[reportKey])
			}
		})
	}
}

// TestWhatIsPromotedStaysAsItIs has a spec edited so that it promotes and follows the
// same: nothing of that is written again.
func TestWhatIsPromotedStaysAsItIs(t *testing.T) {
	c := newCluster(t)
	sweep := gated("1h", 1, 2, 3)
	c.create(sweep)
	c.finish(sweep, rand.New(rand.NewPCG(1, 1)))
	c.writes = nil
	edit(c, sweep, func(s *v1alpha1.PolicySweep) { s.Spec.Execution.TTLSecondsAfterFinished = ptr.To[int32](3600) })
	c.reconcile(sweep)
	if want := []string{"patch status of PolicySweep weights"}; !slices.Equal(c.writes, want) {
		t.Errorf("written: %q, want %q", c.writes, want)
	}
}

func followedBy(s subject) []string { return s.(sweep).Status.Followed }
