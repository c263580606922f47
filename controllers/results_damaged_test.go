// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/worker"
)

// completeSweep is a cluster with a sweep whose work has ended a minute ago.
func completeSweep(t *testing.T) (*cluster, *v1alpha1.PolicySweep) {
	t.Helper()
	c, sweep := newlyCompleteSweep(t)
	c.pass(time.Minute)
	return c, sweep
}

// newlyCompleteSweep is a cluster with a sweep whose work ends now.
func newlyCompleteSweep(t *testing.T) (*cluster, *v1alpha1.PolicySweep) {
	t.Helper()
	c := newCluster(t)
	sweep := weights().Obj()
	c.create(sweep)
	c.reconcile(sweep)
	for shard := range shards {
		c.succeed(c.job(), shard)
		c.reconcile(sweep)
	}
	if !isTrue(c.subject(sweep).status(), v1alpha1.ConditionComplete) {
		t.Fatal(statusLine(c.subject(sweep)))
	}
	return c, sweep
}

// rowMaps are the ConfigMaps that hold rows.
func (c *cluster) rowMaps() []*corev1.ConfigMap {
	c.t.Helper()
	var chunks []*corev1.ConfigMap
	all := c.configMaps()
	for i := range all {
		if _, isList := all[i].Labels[worker.LabelList]; all[i].Labels[LabelComponent] == ComponentResult && !isList {
			chunks = append(chunks, &all[i])
		}
	}
	if len(chunks) == 0 {
		c.t.Fatal("there are no chunks")
	}
	return chunks
}

// replace deletes a ConfigMap and creates it again with what change makes of it.
func (c *cluster) replace(cm *corev1.ConfigMap, change func(*corev1.ConfigMap)) {
	c.t.Helper()
	c.must(c.client.Delete(c.t.Context(), cm.DeepCopy()))
	again := cm.DeepCopy()
	again.UID, again.ResourceVersion = "", ""
	change(again)
	c.must(c.client.Create(c.t.Context(), again))
}

// spoil changes bytes of a ConfigMap.
func spoil(cm *corev1.ConfigMap) {
	data := map[string]string{"more": "bytes"}
	for key, text := range cm.Data {
		data[key] = text + " "
	}
	cm.Data = data
	for key, bytes := range cm.BinaryData {
		cm.BinaryData[key] = append(slices.Clone(bytes), 0)
	}
}

func TestResultsThatSomebodyDamagesAfterTheEnd(t *testing.T) {
	for name, tc := range map[string]struct {
		harm func(*cluster, *corev1.ConfigMap)
		want string // "" where they are as they were
	}{
		"deleted":                        {func(c *cluster, cm *corev1.ConfigMap) { c.must(c.client.Delete(c.t.Context(), cm)) }, "which held results, does not exist"},
		"created again with other bytes": {func(c *cluster, cm *corev1.ConfigMap) { c.replace(cm, spoil) }, "has the digest"},
		"created again without its owner": {func(c *cluster, cm *corev1.ConfigMap) {
			c.replace(cm, func(cm *corev1.ConfigMap) { cm.OwnerReferences = nil })
		}, "its owner reference does not match"},
		"created again as it was": {func(c *cluster, cm *corev1.ConfigMap) { c.replace(cm, func(*corev1.ConfigMap) {}) }, ""},
		"left alone":              {func(*cluster, *corev1.ConfigMap) {}, ""},
	} {
		for part, which := range map[string]func(*cluster, subject) *corev1.ConfigMap{
			"a chunk": func(c *cluster, _ subject) *corev1.ConfigMap { return c.rowMaps()[0] },
			"the index": func(c *cluster, s subject) *corev1.ConfigMap {
				all := c.configMaps()
				for i := range all {
					if all[i].Name == s.status().Results.Index {
						return &all[i]
					}
				}
				return nil
			},
		} {
			t.Run(part+" "+name, func(t *testing.T) {
				c, sweep := completeSweep(t)
				was := c.subject(sweep)
				cm := which(c, was)
				kept := cm.DeepCopy()
				tc.harm(c, cm)
				c.told()
				c.reconcile(sweep)
				got := meta.FindStatusCondition(c.subject(sweep).status().Conditions, v1alpha1.ConditionResultsDamaged)
				if tc.want == "" {
					if got != nil {
						t.Errorf("results are said to be damaged: %s", got.Message)
					}
					return
				}
				if got == nil || !strings.Contains(got.Message, tc.want) || !strings.Contains(got.Message, "apply it again") {
					t.Fatalf("condition ResultsDamaged is %v, want one that says %q and what to do", got, tc.want)
				}
				if told := strings.Join(c.told(), "\n"); strings.Count(told, "Warning ResultsDamaged") != 1 {
					t.Errorf("told %q, want one warning", told)
				}
				if !isTrue(c.subject(sweep).status(), v1alpha1.ConditionComplete) {
					t.Errorf("the sweep is not complete any more: %s", statusLine(c.subject(sweep)))
				}
				if _, d := c.decide(sweep); d.requeueAfter != damageInterval {
					t.Errorf("it is looked at again in %s, want %s", d.requeueAfter, damageInterval)
				}
				if part != "a chunk" {
					return
				}
				_ = c.client.Delete(t.Context(), &corev1.ConfigMap{ObjectMeta: *kept.ObjectMeta.DeepCopy()})
				kept.UID, kept.ResourceVersion = "", ""
				c.must(c.client.Create(t.Context(), kept))
				c.reconcile(sweep)
				if isTrue(c.subject(sweep).status(), v1alpha1.ConditionResultsDamaged) {
					t.Error("restored results are still said to be damaged")
				}
			})
		}
	}
}

// TestReuseOfDamagedResultsIsReported has a second sweep reuse results of which a chunk is
// gone.
func TestReuseOfDamagedResultsIsReported(t *testing.T) {
	c, sweep := completeSweep(t)
	chunk := c.rowMaps()[0]
	c.must(c.client.Delete(t.Context(), chunk))
	second := weights().UID("second-uid").Obj()
	second.Name, second.Spec.ReuseFrom = "second", []string{sweep.Name}
	c.create(second)
	c.reconcile(second)
	want := "damaged results of spec.reuseFrom are not reused: PolicySweep weights: ConfigMap " + chunk.Name + ", which held results, does not exist"
	if ready := meta.FindStatusCondition(c.subject(second).status().Conditions, v1alpha1.ConditionReady); ready == nil || !strings.Contains(ready.Message, want) {
		t.Errorf("condition Ready is %v, want one that says %q", ready, want)
	}
}

// TestAChunkReplacedRightAfterTheEnd has somebody replace a chunk within a few seconds.
func TestAChunkReplacedRightAfterTheEnd(t *testing.T) {
	c, sweep := newlyCompleteSweep(t)
	c.pass(2 * time.Second)
	chunk := c.rowMaps()[0]
	c.replace(chunk, spoil)
	c.reconcile(sweep)
	got := meta.FindStatusCondition(c.subject(sweep).status().Conditions, v1alpha1.ConditionResultsDamaged)
	if got == nil || !strings.Contains(got.Message, chunk.Name+" has the digest") {
		t.Errorf("condition ResultsDamaged is %v, want one that names %s", got, chunk.Name)
	}
}

// TestResultsOfARunThatSomebodyDeletes does it to a SimulationRun.
func TestResultsOfARunThatSomebodyDeletes(t *testing.T) {
	c := newCluster(t)
	run := once().Obj()
	c.create(run)
	c.reconcile(run)
	c.succeed(c.job(), 0)
	c.reconcile(run)
	chunk := c.rowMaps()[0]
	c.must(c.client.Delete(t.Context(), chunk))
	c.reconcile(run)
	st := c.subject(run).status()
	got := meta.FindStatusCondition(st.Conditions, v1alpha1.ConditionResultsDamaged)
	if got == nil || !strings.Contains(got.Message, chunk.Name+", which held results, does not exist") {
		t.Errorf("condition ResultsDamaged is %v, want one that names %s", got, chunk.Name)
	}
	if !isTrue(st, v1alpha1.ConditionComplete) {
		t.Errorf("the run is not complete any more: %s", statusLine(c.subject(run)))
	}
}

// The last chunk of a shard holds the list too, and is read once.
func TestAChunkIsReadOnceFromTheServer(t *testing.T) {
	c := newCluster(t)
	reads := map[string]int{}
	o := c.reconcilers[sweeps.kind].observer
	o.live = interceptor.NewClient(c.counted(), interceptor.Funcs{
		Get: func(ctx context.Context, w client.WithWatch, key client.ObjectKey, into client.Object, opts ...client.GetOption) error {
			if _, ok := into.(*corev1.ConfigMap); ok {
				reads[key.Name]++
			}
			return w.Get(ctx, key, into, opts...)
		},
	})
	sweep := weights().Obj()
	c.create(sweep)
	c.reconcile(sweep)
	c.succeed(c.job(), 0)
	c.reconcile(sweep)
	chunk := c.rowMaps()[0].Name
	if len(c.rowMaps()) != 1 || reads[chunk] != 1 {
		t.Errorf("%s, the only chunk, is read %d times, want once", chunk, reads[chunk])
	}
}

// TestUntouchedResultsAreNotRead has a new manager look at a complete sweep.
func TestUntouchedResultsAreNotRead(t *testing.T) {
	c, sweep := completeSweep(t)
	c.restart()
	reads := 0
	o := c.reconcilers[sweeps.kind].observer
	o.live = interceptor.NewClient(c.counted(), interceptor.Funcs{
		Get: func(ctx context.Context, w client.WithWatch, key client.ObjectKey, into client.Object, opts ...client.GetOption) error {
			if _, ok := into.(*corev1.ConfigMap); ok {
				reads++
			}
			return w.Get(ctx, key, into, opts...)
		},
	})
	c.reconcile(sweep)
	if reads != 0 {
		t.Errorf("%d ConfigMaps are read, want none", reads)
	}
	c.replace(c.rowMaps()[0], func(*corev1.ConfigMap) {})
	c.reconcile(sweep)
	if reads == 0 {
		t.Error("no ConfigMap is read after one was created again")
	}
}
