// SPDX-License-Identifier: Apache-2.0

package kubectl_test

import (
	"context"
	"errors"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	testclock "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/controllers"
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

// events has each watch of a client tell its events and end; the last one stays open.
func events(objects []client.Object, all [][]watch.Event) (client.WithWatch, *int) {
	watches := 0
	return fake.NewClientBuilder().WithScheme(controllers.Scheme()).WithObjects(objects...).WithInterceptorFuncs(interceptor.Funcs{
		Watch: func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) (watch.Interface, error) {
			w := watch.NewFakeWithChanSize(8, false)
			for _, e := range all[watches] {
				w.Action(e.Type, e.Object)
			}
			watches++
			if watches < len(all) {
				w.Stop()
			}
			return w, nil
		},
	}).Build(), &watches
}

func TestFollowGoesOnAfterAWatchEnds(t *testing.T) {
	begun := watch.Event{Type: watch.Added, Object: sweepIn("Running", false)}
	ended := watch.Event{Type: watch.Modified, Object: sweepIn("Complete", true)}
	expired := watch.Event{Type: watch.Error, Object: &metav1.Status{Reason: metav1.StatusReasonExpired, Code: 410}}
	forbidden := watch.Event{Type: watch.Error, Object: &metav1.Status{Reason: metav1.StatusReasonForbidden, Code: 403}}
	there := []client.Object{sweepIn("Running", false)}
	for name, tc := range map[string]struct {
		objects []client.Object
		events  [][]watch.Event
		told    int
		err     error
		fails   bool
	}{
		"one watch":            {there, [][]watch.Event{{begun, ended}}, 2, nil, false},
		"two watches":          {there, [][]watch.Event{{begun}, {begun, ended}}, 3, nil, false},
		"a watch that expires": {there, [][]watch.Event{{begun, expired}, {ended}}, 2, nil, false},
		"bookmarks":            {there, [][]watch.Event{{{Type: watch.Bookmark, Object: &metav1.Status{}}, ended}}, 1, nil, false},
		"it is deleted":        {there, [][]watch.Event{{begun, {Type: watch.Deleted, Object: sweepIn("Running", false)}}}, 1, kubectl.ErrDeleted, true},
		"deleted in between":   {nil, [][]watch.Event{{begun}, {}}, 1, kubectl.ErrDeleted, true},
		"an error":             {there, [][]watch.Event{{begun, forbidden}}, 1, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			c, watches := events(tc.objects, tc.events)
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
			if !tc.fails && (!last.HasEnded() || *watches != len(tc.events)) {
				t.Errorf("it ends as %s after %d watches", last.State(), *watches)
			}
		})
	}
}
