// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/testing/builder"
)

func TestAConfigMapWakesWhatRefersToIt(t *testing.T) {
	c := newCluster(t)
	from := builder.PickerConfigFrom("profiles", "p")
	done := builder.MakeSweep("done", "team-a").Generation(1).Scenario(from).Values("replicas", replicasPath, "1").
		Condition(metav1.Condition{Type: v1alpha1.ConditionComplete, Status: metav1.ConditionTrue}).Obj()
	done.Status.ObservedGeneration = 1
	objects := []client.Object{
		builder.MakeSweep("base", "team-a").Scenario(from).Values("replicas", replicasPath, "1").Obj(),
		builder.MakeSweep("elsewhere", "team-b").Scenario(from).Values("replicas", replicasPath, "1").Obj(),
		builder.MakeSweep("inline", "team-a").Values("replicas", replicasPath, "1").Obj(),
		builder.MakeRun("run", "team-a").Scenario(builder.TraceFrom(v1alpha1.MooncakeTrace, "profiles", "t")).Obj(),
		done,
	}
	profile := builder.MakeSweep("profile", "team-a").Profile("a", builder.DefaultPickerConfig).Obj()
	profile.Spec.Parameters[0].Profiles[0].EndpointPickerConfig = v1alpha1.EndpointPickerConfig{
		ConfigMapRef: &v1alpha1.EndpointPickerConfigMap{Name: "profiles", Key: "p"},
	}
	alternative := builder.MakeSweep("alternative", "team-a").
		Alternative("native", v1alpha1.Router{Policies: &v1alpha1.Policies{Routing: v1alpha1.RoutingPolicy{Policy: "random"}}}).
		Alternative("epp", v1alpha1.Router{EndpointPickerConfig: profile.Spec.Parameters[0].Profiles[0].EndpointPickerConfig}).Obj()
	scaled := builder.MakeRun("scaled", "team-a").Obj()
	scaled.Spec.Scenario.Scalers = []v1alpha1.Scaler{{
		Name: "hpa", Pools: []string{"llama"}, HorizontalPodAutoscaler: &v1alpha1.ManifestSource{ConfigMapRef: &v1alpha1.ConfigMapKeyReference{Name: "profiles", Key: "hpa"}},
	}}
	analysed := builder.MakeRun("analysed", "team-a").Obj()
	analysed.Spec.Scenario.Scalers = []v1alpha1.Scaler{{
		Name: "wva", Pools: []string{"llama"}, MaxReplicas: 4,
		WorkloadVariantAutoscaler: &v1alpha1.ManifestSource{ConfigMapRef: &v1alpha1.ConfigMapKeyReference{Name: "profiles", Key: "default"}},
	}}
	for _, o := range append(objects, profile, alternative, scaled, analysed) {
		c.create(o)
	}
	cm := configMapMetadata()
	cm.Namespace, cm.Name = "team-a", "profiles"
	for kind, want := range map[*subjects][]string{&sweeps: {"team-a/alternative", "team-a/base", "team-a/done", "team-a/profile"}, &runs: {"team-a/analysed", "team-a/run", "team-a/scaled"}} {
		var got []string
		for _, r := range (watcher{cache: c.client, subjects: *kind}).ofConfigMap(t.Context(), cm) {
			got = append(got, r.String())
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", kind.kind, diff)
		}
	}
}

func TestChildrenWakeTheirOwner(t *testing.T) {
	c := newCluster(t)
	sweep := weights().Obj()
	c.create(sweep)
	c.reconcile(sweep)
	pod := c.startPod(c.job(), 0)
	cm := configMapMetadata()
	cm.Namespace, cm.OwnerReferences = "team-a", c.job().OwnerReferences
	run := builder.MakeRun("weights-best-1", "team-a").Obj()
	run.OwnerReferences = cm.OwnerReferences
	foreignPod := pod.DeepCopy()
	foreignPod.OwnerReferences[0].Name = "gone"
	for kind, want := range map[*subjects]string{&sweeps: "[team-a/weights]", &runs: "[]"} {
		w := watcher{cache: c.client, subjects: *kind}
		for name, got := range map[string]any{
			"Job":               w.ofChild(t.Context(), c.job()),
			"pod":               w.ofPod(t.Context(), pod),
			"deleted ConfigMap": w.ofConfigMap(t.Context(), cm),
			"deleted run":       w.ofChild(t.Context(), run),
		} {
			if fmt.Sprint(got) != want {
				t.Errorf("%s, %s: got %v, want %s", kind.kind, name, got, want)
			}
		}
		if got := w.ofPod(t.Context(), foreignPod); len(got) > 0 {
			t.Errorf("%s: a pod without its Job wakes %v", kind.kind, got)
		}
	}
}

func TestUnchangedObjectsWakeNobody(t *testing.T) {
	input, result := configMapMetadata(), configMapMetadata()
	result.OwnerReferences = []metav1.OwnerReference{ownerReference(sweepSubject(weights().Obj()))}
	pod := func(change ...func(*corev1.Pod)) *corev1.Pod {
		p := &corev1.Pod{Status: corev1.PodStatus{Phase: corev1.PodPending}}
		for _, f := range change {
			f(p)
		}
		return p
	}
	for name, tc := range map[string]struct{ got, want bool }{
		"an input appears":         {configMapEvents.Create(event.CreateEvent{Object: input}), true},
		"an input is edited":       {configMapEvents.Update(event.UpdateEvent{ObjectOld: input, ObjectNew: input}), true},
		"an input goes":            {configMapEvents.Delete(event.DeleteEvent{Object: input}), true},
		"a result appears":         {configMapEvents.Create(event.CreateEvent{Object: result}), false},
		"a result is labelled":     {configMapEvents.Update(event.UpdateEvent{ObjectOld: result, ObjectNew: result}), false},
		"a result goes":            {configMapEvents.Delete(event.DeleteEvent{Object: result}), true},
		"a run appears":            {runEvents.Create(event.CreateEvent{Object: once().Obj()}), false},
		"a run gets a status":      {runEvents.Update(event.UpdateEvent{ObjectOld: once().Obj(), ObjectNew: once().Obj()}), false},
		"a run goes":               {runEvents.Delete(event.DeleteEvent{Object: once().Obj()}), true},
		"a pod starts":             {podEvents.Update(event.UpdateEvent{ObjectOld: pod(), ObjectNew: pod(running)}), true},
		"a pod fails":              {podEvents.Update(event.UpdateEvent{ObjectOld: pod(running), ObjectNew: pod(exited(1, ""))}), true},
		"a pod gets an annotation": {podEvents.Update(event.UpdateEvent{ObjectOld: pod(), ObjectNew: pod(func(p *corev1.Pod) { p.Annotations = map[string]string{"a": "b"} })}), false},
		"a pod is deleted":         {podEvents.Update(event.UpdateEvent{ObjectOld: pod(), ObjectNew: pod(func(p *corev1.Pod) { p.DeletionTimestamp = &metav1.Time{} })}), true},
		"a pod appears":            {podEvents.Create(event.CreateEvent{Object: pod()}), true},
	} {
		if tc.got != tc.want {
			t.Errorf("%s: wakes %t, want %t", name, tc.got, tc.want)
		}
	}
}

func TestTheCacheHoldsNoLargeAnnotations(t *testing.T) {
	cm := configMapMetadata()
	cm.Annotations = map[string]string{"kubectl.kubernetes.io/last-applied-configuration": "large"}
	cm.ManagedFields = []metav1.ManagedFieldsEntry{{}}
	if _, err := stripMetadata(cm); err != nil || cm.Annotations != nil || cm.ManagedFields != nil {
		t.Errorf("left %v, %v, error %v", cm.Annotations, cm.ManagedFields, err)
	}
}
