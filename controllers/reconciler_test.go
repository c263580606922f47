// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// TestStaleObservationsBackOff has a server on which everything
// has just changed, and then one that works again.
func TestStaleObservationsBackOff(t *testing.T) {
	c := newCluster(t)
	run := once().Obj()
	c.create(run)
	r := c.reconcilers[v1alpha1.SimulationRunKind]
	r.stale = backOff(staleInterval, longestInterval)
	works := r.applier.client
	r.applier.client = interceptor.NewClient(c.client, interceptor.Funcs{
		Create: func(context.Context, client.WithWatch, client.Object, ...client.CreateOption) error {
			return apierrors.NewConflict(anyResource, "it", nil)
		},
	})
	request := reconcile.Request{NamespacedName: client.ObjectKeyFromObject(run)}
	waits := func() time.Duration {
		result, err := r.Reconcile(t.Context(), request)
		c.must(err)
		return result.RequeueAfter
	}
	var got []time.Duration
	for range 12 {
		got = append(got, waits())
	}
	if got[0] != staleInterval || got[3] != 8*staleInterval || got[11] != longestInterval || !slices.IsSorted(got) {
		t.Errorf("it is looked at again after %v", got)
	}
	r.applier.client = works
	waits()
	if n := r.stale.NumRequeues(request); n != 0 {
		t.Errorf("after a success %d failures are remembered", n)
	}
}

// TestErrorsDoNotFloodTheLog counts the tries of an object that fails for an hour, each of
// which is a line of the log.
func TestErrorsDoNotFloodTheLog(t *testing.T) {
	tries, retry := 0, backOff(firstRetry, longestInterval)
	for passed := time.Duration(0); passed < time.Hour; tries++ {
		passed += retry.When(reconcile.Request{})
	}
	if tries < 60 || tries > 80 {
		t.Errorf("it is tried %d times, want some seventy", tries)
	}
}

// TestAReconcileThatIsCutOffIsNoError has a manager told to stop while a server does not
// answer.
func TestAReconcileThatIsCutOffIsNoError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t)
		run := once().Obj()
		c.create(run)
		r := c.reconcilers[v1alpha1.SimulationRunKind]
		ctx, stop := context.WithCancel(t.Context())
		asked := 0
		r.applier.client = interceptor.NewClient(c.client, interceptor.Funcs{
			Create: func(ctx context.Context, _ client.WithWatch, _ client.Object, _ ...client.CreateOption) error {
				asked++
				stop()
				<-ctx.Done()
				return ctx.Err()
			},
		})
		result, err := r.Reconcile(ctx, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(run)})
		if asked == 0 || err != nil || result != (reconcile.Result{}) {
			t.Errorf("after %d requests: %v, %v; want neither an error nor another try", asked, result, err)
		}
	})
}

// TestWhatIsRememberedGoesWithItsObject: when its work has ended, and when it is gone.
func TestWhatIsRememberedGoesWithItsObject(t *testing.T) {
	remembered := func(r *reconciler) int {
		return len(r.observer.studies.byName) + r.observer.studies.used + len(r.observer.plans.plans) + len(r.observer.plans.by)
	}
	for name, end := range map[string]func(*scenario, client.Object){
		"it completes":  func(p *scenario, o client.Object) { p.rounds(o) },
		"it is deleted": func(p *scenario, o client.Object) { p.must(p.client.Delete(t.Context(), o)) },
	} {
		t.Run(name, func(t *testing.T) {
			perform(t, func(p *scenario) {
				run := once().Obj()
				p.enter(run)
				if remembered(p.reconcilers[v1alpha1.SimulationRunKind]) == 0 {
					t.Error("nothing is remembered while it is under way")
				}
				end(p, run)
				_, err := p.reconcilers[v1alpha1.SimulationRunKind].Reconcile(t.Context(), reconcile.Request{NamespacedName: client.ObjectKeyFromObject(run)})
				p.must(err)
				if n := remembered(p.reconcilers[v1alpha1.SimulationRunKind]); n > 0 {
					t.Errorf("%d is remembered of what has ended", n)
				}
			}, nil, func(*scenario) {})
		})
	}
}

// TestAChildThatSomebodyHoldsIsAwaited has a finalizer of another owner's keep what a
// sweep is to replace. Nothing is written meanwhile, and its owner is told.
func TestAChildThatSomebodyHoldsIsAwaited(t *testing.T) {
	const holder = "example.com/archive"
	for name, child := range map[string]client.Object{
		"SimulationRun weights-best-1": &v1alpha1.SimulationRun{},
		"ConfigMap weights-promoted":   &corev1.ConfigMap{},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCluster(t)
			sweep := gated("1h", 1, 2, 3)
			c.create(sweep)
			c.finish(sweep, rand.New(rand.NewPCG(1, 1)))
			_, childName, _ := strings.Cut(name, " ")
			key := client.ObjectKey{Namespace: "team-a", Name: childName}
			c.must(c.client.Get(t.Context(), key, child))
			before := child.GetUID()
			child.SetFinalizers([]string{holder})
			c.must(c.client.Update(t.Context(), child))
			edit(c, sweep, func(s *v1alpha1.PolicySweep) { s.Spec.Replications.Seeds = []int64{4, 5, 6} })
			c.restart()
			for range 3 {
				c.reconcile(sweep)
				for _, index := range c.open(c.latest()) {
					c.succeed(c.latest(), index)
				}
			}
			c.reconcile(sweep)
			words := statusLine(c.subject(sweep))
			if want := name + " is being deleted and waits for its finalizers: " + holder; !strings.Contains(words, want) || !strings.Contains(words, "Reconciling=True") {
				t.Errorf("the status says %q, want %q", words, want)
			}
			writes := len(c.writes)
			for range 3 {
				if d := c.reconcile(sweep)[0]; d.requeueAfter != 0 {
					t.Errorf("it is looked at again after %s though a watch will tell", d.requeueAfter)
				}
			}
			if len(c.writes) != writes {
				t.Errorf("meanwhile there are writes: %v", c.writes[writes:])
			}
			c.must(c.client.Get(t.Context(), key, child))
			child.SetFinalizers(nil)
			c.must(c.client.Update(t.Context(), child))
			c.reconcile(sweep)
			c.must(c.client.Get(t.Context(), key, child))
			if child.GetUID() == before || !isTrue(c.subject(sweep).status(), v1alpha1.ConditionComplete) {
				t.Errorf("it is not created again: %s", statusLine(c.subject(sweep)))
			}
		})
	}
}
