// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/clock"

	"windtunnel.dev/windtunnel/internal/testing/builder"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
)

// endless is a subject whose spec takes a processor for ever.
type endless struct{ subject }

func newEndless(uid string) endless { return endless{guarded(uid, 1)} }

func (endless) compile(ctx context.Context, in compile.Inputs) (*compile.Compiled, field.ErrorList, error) {
	for n := 0; ctx.Err() == nil; n++ { // it uses the processor
	}
	return compile.Sweep(ctx, builder.MakeSweep("endless", "team-a").Values("replicas", "pools[llama].replicas", "1", "2").Obj(), in)
}

// waiting is a subject whose spec takes the time of a clock, and no processor.
type waiting struct{ subject }

func (waiting) compile(ctx context.Context, in compile.Inputs) (*compile.Compiled, field.ErrorList, error) {
	select {
	case <-time.After(400 * time.Millisecond):
	case <-ctx.Done():
	}
	return compile.Sweep(ctx, builder.MakeSweep("waiting", "team-a").Obj(), in)
}

func compiled(o *observer, s subject) compilation {
	for {
		if c := o.compile(context.Background(), s, nil); !errors.Is(c.err, errSlow) {
			return c
		}
		time.Sleep(time.Millisecond)
	}
}

func TestWhatTakesTooLongIsInvalid(t *testing.T) {
	o := &observer{lane: newSlowLane(time.Millisecond, 10*time.Millisecond, clock.RealClock{})}
	if c := o.compile(t.Context(), newEndless("a"), nil); !errors.Is(c.err, errSlow) {
		t.Fatalf("compiled beside others: %+v", c)
	}
	c := compiled(o, newEndless("a"))
	if c.compiled != nil || c.err != nil || len(c.errs) != 1 {
		t.Fatalf("compiled %v, faults %v, error %v; want one fault", c.compiled, c.errs, c.err)
	}
	if e := c.errs[0]; !strings.HasPrefix(e.Field, "spec.") || !strings.Contains(e.Detail, " s of processor time, at most 0.01 s") {
		t.Errorf("the fault is %v", e)
	}
}

// On a full node a spec takes long by the clock, and is neither slow nor to blame.
func TestASpecIsNotToBlameForAFullNode(t *testing.T) {
	o := &observer{lane: newSlowLane(300*time.Millisecond, 300*time.Millisecond, clock.RealClock{})}
	if c := o.compile(t.Context(), waiting{guarded("a", 1)}, nil); c.err != nil || len(c.errs) > 0 || c.cut != nil {
		t.Errorf("faults %v, error %v", c.errs, c.err)
	}
}

func TestASlowSpecIsPending(t *testing.T) {
	d := decide(&observation{subject: runs.wrap(builder.MakeRun("run", "team-a").Obj()), unsafe: errSlow}, time.Now())
	if d.requeueAfter != slowDelay || d.status == nil {
		t.Fatalf("the manager reports %v and looks again after %v", d.status, d.requeueAfter)
	}
}

func TestAManagerThatStopsSuspectsNoSpec(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	o := &observer{lane: newSlowLane(time.Minute, time.Minute, clock.RealClock{})}
	if c := o.compile(ctx, newEndless("a"), nil); len(c.errs) > 0 || !errors.Is(c.err, context.Canceled) {
		t.Errorf("faults %v, error %v; want that it was cancelled", c.errs, c.err)
	}
}

// inNamespace is an object of a UID in a namespace.
func inNamespace(uid, namespace string, generation int64) subject {
	sweep := builder.MakeSweep(uid, namespace).Obj()
	sweep.UID, sweep.Generation = types.UID(uid), generation
	return sweeps.wrap(sweep)
}

// A namespace with many slow specs, and with edits of them, has one turn in n of the lane.
func TestNamespacesTakeTurnsInTheSlowLane(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newSlowLane(time.Second, 10*time.Second, clock.RealClock{})
		var order []string
		ask := func(uid, namespace string, generation int64) *compilation {
			return l.ask(t.Context(), inNamespace(uid, namespace, generation), func(ctx context.Context) compilation {
				select {
				case <-time.After(10 * time.Second):
					order = append(order, uid)
				case <-ctx.Done():
					order = append(order, uid+" is edited")
				}
				return compilation{}
			})
		}
		for _, uid := range []string{"a1", "a2", "a3", "a4"} {
			ask(uid, "a", 1)
		}
		time.Sleep(time.Second)
		ask("b1", "b", 1)
		ask("c1", "c", 1)
		for generation := range int64(20) {
			ask("a2", "a", generation+2) // an edit of what waits takes its place
		}
		ask("a1", "a", 2) // and of what is compiled, ends that
		time.Sleep(time.Hour)
		want := []string{"a1 is edited", "a2", "b1", "c1", "a3", "a4", "a1"}
		if diff := cmp.Diff(want, order); diff != "" {
			t.Errorf("(−want +got):\n%s", diff)
		}
		if ask("b1", "b", 1) != nil || len(l.jobs) != 1 {
			t.Errorf("%d results are kept of objects that ask no more", len(l.jobs)-1)
		}
		time.Sleep(time.Minute)
	})
}

// What a namespace takes beside others is bounded, and comes back with time: 2.4 s of 2 s leave a debt
// of 0.4 s, and a tenth of each second pays it in 4 s.
func TestANamespaceHasACredit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newSlowLane(time.Second, 10*time.Second, clock.RealClock{})
		for i := range 12 {
			s := inNamespace(string(rune('a'+i)), "team-a", 1)
			if takes := l.takes(s); takes != (i >= 10) {
				t.Errorf("spec %d is for the lane: %v", i, takes)
			}
			l.charge(s, 200*time.Millisecond, false)
		}
		s := inNamespace("new", "team-a", 1)
		if l.takes(inNamespace("neighbour", "team-b", 1)) || !l.takes(s) {
			t.Error("a neighbour pays")
		}
		time.Sleep(4 * time.Second)
		if !l.takes(s) {
			t.Error("the debt is paid too soon")
		}
		time.Sleep(time.Second)
		if l.takes(s) {
			t.Error("the debt is not paid")
		}
		if l.charge(s, 0, true); !l.takes(inNamespace("new", "team-a", 2)) {
			t.Error("the edit of a slow spec takes processor time beside others first")
		}
		time.Sleep(time.Hour)
		if l.charge(s, 0, false); len(l.credits) != 0 || len(l.slow) != 0 {
			t.Errorf("%d namespaces and %d objects are remembered", len(l.credits), len(l.slow))
		}
	})
}
