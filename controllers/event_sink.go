// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	typedeventsv1 "k8s.io/client-go/kubernetes/typed/events/v1"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// newRecorder returns what writes events, until a context ends.
func newRecorder(ctx context.Context, mgr ctrl.Manager) (events.EventRecorder, error) {
	client, err := typedeventsv1.NewForConfigAndClient(mgr.GetConfig(), mgr.GetHTTPClient())
	if err != nil {
		return nil, fmt.Errorf("create the events client: %w", err)
	}
	broadcaster := events.NewBroadcaster(eventSink{&events.EventSinkImpl{Interface: client}})
	logged := log.IntoContext(ctx, mgr.GetLogger())
	if err := broadcaster.StartRecordingToSinkWithContext(logged); err != nil {
		return nil, fmt.Errorf("start writing events: %w", err)
	}
	return broadcaster.NewRecorder(mgr.GetScheme(), FieldOwner), nil
}

// eventSink writes events, and drops those that a namespace refuses because it is being
// deleted, and those that are under way when the manager stops: the client library logs
// each of them as an error, though no user has to act.
type eventSink struct{ events.EventSink }

// Create implements events.EventSink.
func (s eventSink) Create(ctx context.Context, e *eventsv1.Event) (*eventsv1.Event, error) {
	created, err := s.EventSink.Create(ctx, e)
	if err != nil && (isNamespaceTerminating(err) || ctx.Err() != nil) {
		return e, nil
	}
	return created, err
}

// Patch implements events.EventSink: it increases the count of an existing event.
func (s eventSink) Patch(ctx context.Context, e *eventsv1.Event, data []byte) (*eventsv1.Event, error) {
	patched, err := s.EventSink.Patch(ctx, e, data)
	if err != nil && ctx.Err() != nil {
		return e, nil
	}
	return patched, err
}

// isNamespaceTerminating reports whether the API server refuses to create something because its
// namespace is being deleted or gone.
func isNamespaceTerminating(err error) bool {
	return apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) || apierrors.IsNotFound(err)
}
