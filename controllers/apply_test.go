// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// reconcileOnce is a reconcile as the manager does it.
func (c *cluster) reconcileOnce(o client.Object) (reconcile.Result, error) {
	s := c.subject(o)
	return c.reconcilers[s.kind()].Reconcile(c.t.Context(), reconcile.Request{NamespacedName: client.ObjectKeyFromObject(o)})
}

// TestKilledAnywhere kills the manager after its n-th write, for every n, and
// lets another one go on. What is there in the end is the same every time.
func TestKilledAnywhere(t *testing.T) {
	end := func(kill int) (string, int) {
		c := newCluster(t)
		sweep := weights().Obj()
		c.create(sweep)
		total := 0
		survive := func() {
			for range 10 {
				_, err := c.reconcileOnce(sweep)
				if !errors.Is(err, errKilled) {
					c.must(err)
					return
				}
				c.restart()
			}
			t.Fatal("it does not come to an end")
		}
		c.writesLeft = kill
		survive()
		c.succeed(c.job(), 0)
		survive()
		edit(c, sweep, func(s *v1alpha1.PolicySweep) { s.Spec.Replications.Seeds = []int64{3} })
		survive()
		c.collectGarbage()
		c.succeed(c.job(), 0)
		c.succeed(c.job(), 1)
		survive()
		survive()
		total = len(c.writes)
		s := c.subject(sweep)
		var text strings.Builder
		fmt.Fprintln(&text, statusLine(s))
		for _, job := range c.jobs() {
			fmt.Fprintln(&text, job.Name)
		}
		for _, cm := range c.configMaps() {
			fmt.Fprintln(&text, cm.Name)
		}
		return text.String(), total
	}
	want, writes := end(-1)
	if !strings.Contains(want, "Complete=True") || writes < 8 {
		t.Fatalf("without a kill, after %d writes:\n%s", writes, want)
	}
	for kill := range writes {
		if got, _ := end(kill); got != want {
			t.Errorf("killed after %d writes (-want +got):\n%s", kill, cmp.Diff(want, got))
		}
	}
}

// TestACacheThatLags decides on a cache that has seen nothing yet of what was
// created: no second Job follows, and no error.
func TestACacheThatLags(t *testing.T) {
	c := newCluster(t)
	sweep := weights().Obj()
	c.create(sweep)
	c.reconcile(sweep)
	before := len(c.writes)
	observer := c.reconcilers[v1alpha1.PolicySweepKind].observer
	observer.cache = interceptor.NewClient(c.client, interceptor.Funcs{
		List: func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) error { return nil },
	})
	if _, err := c.reconcileOnce(sweep); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string(nil), c.writes[before:]); diff != "" && len(c.writes) > before {
		t.Errorf("writes (-want +got):\n%s", diff)
	}
}

// TestAnOlderViewNeverOverwritesANewerStatus lets one manager decide, another
// one finish, and the first one write.
func TestAnOlderViewNeverOverwritesANewerStatus(t *testing.T) {
	c := newCluster(t)
	sweep := weights().Obj()
	c.create(sweep)
	w, d := c.decide(sweep)
	c.reconcile(sweep)
	c.succeed(c.job(), 0)
	c.succeed(c.job(), 1)
	c.reconcile(sweep)
	for range 2 {
		if err := c.reconcilers[v1alpha1.PolicySweepKind].applier.apply(t.Context(), w, d, epoch); !errors.Is(err, errStale) {
			t.Errorf("got %v, want %v", err, errStale)
		}
		// Even where every object is gone that would stop it earlier.
		d.actions = nil
	}
	if s := c.subject(sweep); !isTrue(s.status(), v1alpha1.ConditionComplete) {
		t.Errorf("the status went back to %s", statusLine(s))
	}
	if jobs := c.jobs(); len(jobs) != 1 {
		t.Errorf("%d Jobs, want 1", len(jobs))
	}
}

// TestARefusalIsReported lets the API server refuse a Job, as a quota does, and then
// take it.
func TestARefusalIsReported(t *testing.T) {
	c := newCluster(t)
	sweep := weights().Obj()
	c.create(sweep)
	applier := &c.reconcilers[v1alpha1.PolicySweepKind].applier
	healthy := applier.client
	quota := apierrors.NewForbidden(schema.GroupResource{Group: "batch", Resource: "jobs"}, "weights", errors.New("exceeded quota: team-a"))
	applier.client = interceptor.NewClient(c.client, interceptor.Funcs{
		Create: func(ctx context.Context, w client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			if _, isJob := o.(*batchv1.Job); isJob {
				return quota
			}
			return w.Create(ctx, o, opts...)
		},
	})
	for range 2 {
		if again, err := c.reconcileOnce(sweep); err != nil || again.RequeueAfter != refusedInterval {
			t.Errorf("got %v, %v, want to try again in %s, and no error, which nobody but the user could see to", again, err, refusedInterval)
		}
	}
	if told := c.told(); len(told) != 1 || !strings.HasPrefix(told[0], "Warning Blocked create Job") {
		t.Errorf("told %q, want one warning", told)
	}
	s := c.subject(sweep)
	if words := statusLine(s); !strings.Contains(words, "Reconciling=True (Blocked): create Job") || !strings.Contains(words, "exceeded quota: team-a") {
		t.Errorf("the status says %s", words)
	}
	if s.status().PlanHash == "" || s.status().Progress == nil {
		t.Errorf("the status does not tell the plan")
	}
	applier.client = healthy
	c.reconcile(sweep)
	if words := statusLine(c.subject(sweep)); !strings.Contains(words, "runs yet") {
		t.Errorf("the status says %s", words)
	}
}

// TestAServerErrorIsNotReported leaves the status alone where the API server
// has trouble of its own.
func TestAServerErrorIsNotReported(t *testing.T) {
	c := newCluster(t)
	sweep := weights().Obj()
	c.create(sweep)
	trouble := apierrors.NewInternalError(errors.New("etcd is away"))
	c.reconcilers[v1alpha1.PolicySweepKind].applier.client = interceptor.NewClient(c.client, interceptor.Funcs{
		Create: func(context.Context, client.WithWatch, client.Object, ...client.CreateOption) error { return trouble },
	})
	if _, err := c.reconcileOnce(sweep); !errors.Is(err, trouble) {
		t.Errorf("got %v, want %v", err, trouble)
	}
	if st := c.subject(sweep).status(); len(st.Conditions) > 0 {
		t.Errorf("conditions %v, want none", st.Conditions)
	}
}

func TestEventsFollowTheStatus(t *testing.T) {
	c := newCluster(t)
	sweep := weights().Obj()
	c.create(sweep)
	c.reconcile(sweep)
	c.succeed(c.job(), 0)
	c.succeed(c.job(), 1)
	c.reconcile(sweep)
	var got []string
	for _, e := range c.told() {
		got = append(got, jobHash.ReplaceAllString(e, "JOB"))
	}
	want := []string{
		"Normal JobCreated Job JOB: 4 simulations in 2 shards",
		"Normal Complete 4 simulations done",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

func TestAnObjectThatIsGoneIsNoError(t *testing.T) {
	c := newCluster(t)
	r := c.reconcilers[v1alpha1.SimulationRunKind]
	result, err := r.Reconcile(t.Context(), reconcile.Request{NamespacedName: client.ObjectKey{Namespace: "team-a", Name: "gone"}})
	if err != nil || result != (reconcile.Result{}) {
		t.Errorf("got %v, %v; want nothing", result, err)
	}
}

// TestAFileCannotBeReadOnACluster tells a user who applied a manifest for the
// local verbs what to do.
func TestAFileCannotBeReadOnACluster(t *testing.T) {
	_, err := clusterInputs{}.OpenFile("trace.jsonl")
	if err == nil || !strings.Contains(err.Error(), "configMapRef") {
		t.Errorf("got %v", err)
	}
}
