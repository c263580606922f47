// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// views are a manager's cache: of each kind a state that the cluster was in at
// some time, since a watch of one kind knows nothing of another one's. A view never
// goes back.
type views struct {
	*cluster
	byKind map[string]*history
}

// history holds all states of the objects of a kind, and which one is seen.
type history struct {
	make   func() client.ObjectList
	states [][]client.Object
	newest string
	seen   int
}

func newViews(c *cluster) *views {
	metadata := func(kind schema.GroupVersionKind) func() client.ObjectList {
		return func() client.ObjectList { return metadataListOf(kind) }
	}
	return &views{cluster: c, byKind: map[string]*history{
		"Job":           {make: func() client.ObjectList { return &batchv1.JobList{} }},
		"Pod":           {make: func() client.ObjectList { return &corev1.PodList{} }},
		"ConfigMap":     {make: metadata(corev1.SchemeGroupVersion.WithKind("ConfigMap"))},
		"Service":       {make: metadata(kindService)},
		"NetworkPolicy": {make: metadata(kindNetworkPolicy)},
		"Deployment":    {make: func() client.ObjectList { return &appsv1.DeploymentList{} }},
		"SimulationRun": {make: func() client.ObjectList { return &v1alpha1.SimulationRunList{} }},
		"PolicySweep":   {make: func() client.ObjectList { return &v1alpha1.PolicySweepList{} }},
	}}
}

// record notes the state of the cluster.
func (v *views) record() {
	for _, h := range v.byKind {
		list := h.make()
		v.must(v.client.List(v.t.Context(), list))
		var state []client.Object
		v.must(meta.EachListItem(list, func(item runtime.Object) error {
			if held := stripped(v.t, item.(client.Object)); held != nil {
				state = append(state, held)
			}
			return nil
		}))
		if version := versions(state); version != h.newest {
			h.states, h.newest = append(h.states, state), version
		}
	}
}

// versions identifies a state.
func versions(state []client.Object) string {
	text := "#"
	for _, o := range state {
		text += fmt.Sprintf(" %s/%s", o.GetUID(), o.GetResourceVersion())
	}
	return text
}

// lag has every kind seen as it was so many states ago.
func (v *views) lag(by int) {
	for _, h := range v.byKind {
		h.seen = max(h.seen, len(h.states)-1-by)
	}
}

// move lets each kind's watch go on by itself, or not.
func (v *views) move(random *rand.Rand) {
	for _, kind := range []string{"Job", "Pod", "ConfigMap", "Service", "NetworkPolicy", "Deployment", "SimulationRun", "PolicySweep"} {
		h := v.byKind[kind]
		h.seen += random.IntN(len(h.states) - h.seen)
	}
}

// seen are the objects of a kind as the cache has them.
func (v *views) seen(kind string) []client.Object {
	h := v.byKind[strings.TrimSuffix(kind, "List")]
	if h == nil {
		v.t.Fatalf("nothing is known of %s", kind)
	}
	return h.states[h.seen]
}

func (v *views) get(_ context.Context, _ client.WithWatch, key client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	kind := v.kindOf(into)
	for _, o := range v.seen(kind) {
		if client.ObjectKeyFromObject(o) == key {
			return copyInto(o, into)
		}
	}
	return apierrors.NewNotFound(schema.GroupResource{Resource: kind}, key.Name)
}

func (v *views) list(_ context.Context, _ client.WithWatch, into client.ObjectList, opts ...client.ListOption) error {
	var o client.ListOptions
	o.ApplyOptions(opts)
	var items []runtime.Object
	for _, object := range v.seen(v.kindOf(into)) {
		if object.GetNamespace() == o.Namespace && matches(object, &o) {
			items = append(items, object.DeepCopyObject())
		}
	}
	return meta.SetList(into, items)
}

// matches reports whether a list with options has an object. Of fields only the
// owner is asked for.
func matches(o client.Object, options *client.ListOptions) bool {
	if options.LabelSelector != nil && !options.LabelSelector.Matches(labels.Set(o.GetLabels())) {
		return false
	}
	if options.FieldSelector == nil {
		return true
	}
	uid, byOwner := options.FieldSelector.RequiresExactMatch(indexOwner)
	owners := ownerIndex(o)
	return byOwner && len(owners) == 1 && owners[0] == uid
}

func (v *views) kindOf(o runtime.Object) string { return gvkOf(v.t, o).Kind }

func copyInto(from, into client.Object) error {
	switch into := into.(type) {
	case *v1alpha1.SimulationRun:
		from.(*v1alpha1.SimulationRun).DeepCopyInto(into)
	case *v1alpha1.PolicySweep:
		from.(*v1alpha1.PolicySweep).DeepCopyInto(into)
	case *metav1.PartialObjectMetadata:
		from.(*metav1.PartialObjectMetadata).DeepCopyInto(into)
	default:
		return fmt.Errorf("nobody should read a %T by its name from the cache", into)
	}
	return nil
}

// lagging has the managers of a scenario read from views.
func lagging(p *scenario) *views {
	v := newViews(p.cluster)
	p.failWrite = func(_ client.Object, _ string, carryOut func() error) error {
		defer v.record()
		return carryOut()
	}
	p.started = func() {
		for _, r := range p.reconcilers {
			cached := interceptor.NewClient(p.client, interceptor.Funcs{Get: v.get, List: v.list})
			r.client, r.observer.cache = cached, cached
			r.applier.client = interceptor.NewClient(p.counted(), interceptor.Funcs{Get: v.get})
		}
	}
	p.started()
	return v
}

// TestCachesThatLag plays each script with caches that are some states behind, and
// catch up before the next step.
func TestCachesThatLag(t *testing.T) {
	for name, script := range scripts {
		t.Run(name, func(t *testing.T) {
			worked := map[string]shardWork{}
			want := perform(t, script, worked, func(*scenario) {}).ending(true)
			for _, behind := range []int{1, 4} {
				got := perform(t, script, worked, func(p *scenario) {
					v := lagging(p)
					p.before = func(rounds int) {
						v.record()
						v.lag(max(0, behind-rounds))
					}
				})
				if diff := cmp.Diff(want, got.ending(true)); diff != "" || got.refused > 0 {
					t.Errorf("%d states behind: %d reconciles failed; the end (-want +got):\n%s", behind, got.refused, diff)
				}
			}
		})
	}
}

// TestWatchesMissReorderAndRepeat plays each script with managers that look at
// any time, or not at all, and with caches whose kinds lag by themselves. At last a
// resync shows everything.
func TestWatchesMissReorderAndRepeat(t *testing.T) {
	plays := uint64(6)
	if testing.Short() {
		plays = 2
	}
	for name, script := range scripts {
		t.Run(name, func(t *testing.T) {
			worked := map[string]shardWork{}
			want := perform(t, script, worked, func(*scenario) {}).ending(false)
			for seed := range plays {
				random := rand.New(rand.NewPCG(seed, 7))
				got := perform(t, script, worked, func(p *scenario) {
					v := lagging(p)
					p.before = func(rounds int) {
						v.record()
						v.lag(max(0, 4-rounds))
					}
					p.settle = func(p *scenario) {
						for range random.IntN(4) {
							v.record()
							v.move(random)
							if random.IntN(6) == 0 {
								p.restart()
							}
							for _, o := range p.all() {
								p.look(o)
							}
						}
					}
				})
				if diff := cmp.Diff(want, got.ending(false)); diff != "" || got.refused > 0 {
					t.Errorf("seed %d: %d reconciles failed; the end (-want +got):\n%s", seed, got.refused, diff)
				}
			}
		})
	}
}
