// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"errors"
	"testing"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// terminatingError is the API server's answer to a create in a namespace that is being
// deleted.
func terminatingError() error {
	err := apierrors.NewForbidden(anyResource, "it", errors.New("unable to create new content in namespace team-a because it is being terminated"))
	err.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: corev1.NamespaceTerminatingCause, Field: "metadata.namespace"}}
	return err
}

// TestNoEventsInANamespaceThatIsBeingDeleted has every create refused for that.
func TestNoEventsInANamespaceThatIsBeingDeleted(t *testing.T) {
	for name, refused := range map[string]error{"terminating": terminatingError(), "gone": apierrors.NewNotFound(anyResource, "team-a")} {
		c := newCluster(t)
		sweep := weights().Obj()
		c.create(sweep)
		c.failWrite = func(_ client.Object, verb string, carryOut func() error) error {
			if verb == "create" {
				return refused
			}
			return carryOut()
		}
		again, err := c.reconcileOnce(sweep)
		if err != nil || again.RequeueAfter != refusedInterval {
			t.Errorf("%s: got %v, %v; want to look again in %s", name, again, err, refusedInterval)
		}
		if told := c.told(); len(told) > 0 {
			t.Errorf("%s: told %q, want nothing", name, told)
		}
		if got := c.subject(sweep).status().Conditions; len(got) > 0 {
			t.Errorf("%s: conditions are %v, want none", name, got)
		}
	}
}

// refusingSink refuses all events.
type refusingSink struct {
	events.EventSink
	err error
}

func (s refusingSink) Create(context.Context, *eventsv1.Event) (*eventsv1.Event, error) {
	return nil, s.err
}

func (s refusingSink) Patch(context.Context, *eventsv1.Event, []byte) (*eventsv1.Event, error) {
	return nil, s.err
}

func TestEventsThatANamespaceRefusesAreDropped(t *testing.T) {
	for name, tc := range map[string]struct {
		err     error
		dropped bool
	}{
		"a namespace that is being deleted": {terminatingError(), true},
		"a namespace that is gone":          {apierrors.NewNotFound(anyResource, "team-a"), true},
		"missing rights":                    {apierrors.NewForbidden(anyResource, "it", errors.New("no rights")), false},
		"a server that does not answer":     {context.DeadlineExceeded, false},
	} {
		_, err := eventSink{refusingSink{err: tc.err}}.Create(t.Context(), &eventsv1.Event{})
		if dropped := err == nil; dropped != tc.dropped {
			t.Errorf("%s: the event is dropped is %t, want %t", name, dropped, tc.dropped)
		}
	}
}

// TestEventsUnderWayWhenTheManagerStopsAreDropped has the context of all writes end.
func TestEventsUnderWayWhenTheManagerStopsAreDropped(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	sink := eventSink{refusingSink{err: context.Canceled}}
	if _, err := sink.Create(ctx, &eventsv1.Event{}); err != nil {
		t.Errorf("a create returns %v, which the client library logs as an error", err)
	}
	if _, err := sink.Patch(ctx, &eventsv1.Event{}, nil); err != nil {
		t.Errorf("a patch returns %v, which the client library logs as an error", err)
	}
	if _, err := sink.Patch(t.Context(), &eventsv1.Event{}, nil); err == nil {
		t.Error("a patch that fails in a manager that works is dropped")
	}
}
