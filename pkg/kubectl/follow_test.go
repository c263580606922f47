// SPDX-License-Identifier: Apache-2.0

package kubectl_test

import (
	"context"
	"errors"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	testclock "k8s.io/utils/clock/testing"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/kubectl"
)

func sweepIn(state string, ended bool) *v1alpha1.PolicySweep {
	s := &v1alpha1.PolicySweep{ObjectMeta: metav1.ObjectMeta{Name: "s", Namespace: "n"}}
	s.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionReady, Status: metav1.ConditionFalse, Reason: state}}
	if ended {
		s.Status.Conditions = append(s.Status.Conditions, metav1.Condition{Type: v1alpha1.ConditionComplete, Status: metav1.ConditionTrue, Reason: state})
	}
	return s
}

// watcher has each watch tell its events and end; the last one stays open.
type watcher struct {
	there   bool
	events  [][]watch.Event
	watches int
}

func (w *watcher) Get(_ context.Context, r schema.GroupVersionResource, key types.NamespacedName, _ runtime.Object) error {
	if !w.there {
		return apierrors.NewNotFound(r.GroupResource(), key.Name)
	}
	return nil
}

func (w *watcher) Watch(context.Context, schema.GroupVersionResource, string, metav1.ListOptions) (watch.Interface, error) {
	next := watch.NewFakeWithChanSize(8, false)
	for _, e := range w.events[w.watches] {
		next.Action(e.Type, e.Object)
	}
	w.watches++
	if w.watches < len(w.events) {
		next.Stop()
	}
	return next, nil
}

func TestFollowGoesOnAfterAWatchEnds(t *testing.T) {
	begun := watch.Event{Type: watch.Added, Object: sweepIn("Running", false)}
	ended := watch.Event{Type: watch.Modified, Object: sweepIn("Complete", true)}
	expired := watch.Event{Type: watch.Error, Object: &metav1.Status{Reason: metav1.StatusReasonExpired, Code: 410}}
	forbidden := watch.Event{Type: watch.Error, Object: &metav1.Status{Reason: metav1.StatusReasonForbidden, Code: 403}}
	for name, tc := range map[string]struct {
		there  bool
		events [][]watch.Event
		told   int
		err    error
		fails  bool
	}{
		"one watch":            {true, [][]watch.Event{{begun, ended}}, 2, nil, false},
		"two watches":          {true, [][]watch.Event{{begun}, {begun, ended}}, 3, nil, false},
		"a watch that expires": {true, [][]watch.Event{{begun, expired}, {ended}}, 2, nil, false},
		"bookmarks":            {true, [][]watch.Event{{{Type: watch.Bookmark, Object: &metav1.Status{}}, ended}}, 1, nil, false},
		"it is deleted":        {true, [][]watch.Event{{begun, {Type: watch.Deleted, Object: sweepIn("Running", false)}}}, 1, kubectl.ErrDeleted, true},
		"deleted in between":   {false, [][]watch.Event{{begun}, {}}, 1, kubectl.ErrDeleted, true},
		"an error":             {true, [][]watch.Event{{begun, forbidden}}, 1, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			c := &watcher{there: tc.there, events: tc.events}
			wall := testclock.NewFakeClock(time.Unix(0, 0))
			done := make(chan struct{})
			go func() {
				for {
					select {
					case <-done:
						return
					default:
						wall.Step(time.Second)
						time.Sleep(time.Millisecond)
					}
				}
			}()
			told := 0
			last, err := kubectl.Follow(t.Context(), c, kubectl.Object{Sweep: sweepIn("Pending", false)}, wall, func(kubectl.Object) { told++ })
			close(done)
			if (err != nil) != tc.fails || tc.err != nil && !errors.Is(err, tc.err) || told != tc.told {
				t.Errorf("told %d times, want %d: %v", told, tc.told, err)
			}
			if !tc.fails && (!last.HasEnded() || c.watches != len(tc.events)) {
				t.Errorf("it ends as %s after %d watches", last.State(), c.watches)
			}
		})
	}
}
