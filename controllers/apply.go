// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/printable"
)

// maxNote is what an event's note can hold, in bytes.
const maxNote = 1024

// applier carries decisions out. It decides nothing.
type applier struct {
	client   client.Client
	recorder events.EventRecorder
	counters *counters
}

// errStale says that an object has changed since it was observed; the subject is
// observed again.
var errStale = errors.New("the observed objects have changed")

// errRefused says that the API server refused an action. The status shows the refusal,
// and the action is tried again later.
var errRefused = errors.New("refused")

// errNamespaceTerminating says that the API server refused an action because the
// namespace is being deleted. The status does not show it: the object is deleted next.
var errNamespaceTerminating = fmt.Errorf("%w: the namespace is being deleted", errRefused)

// apply applies the actions, writes the status, records the events and cleans up. It
// stops at the first failure. Where the API server refuses an action, the status says
// so.
func (a applier) apply(ctx context.Context, w *observation, d decision, now time.Time) error {
	var told []recordedEvent
	for _, act := range d.actions {
		if err := a.applyAction(ctx, act); err != nil {
			return a.reportRefusal(ctx, w, d, fmt.Errorf("%s: %w", act, err), now)
		}
		if job, ok := act.object.(*batchv1.Job); ok {
			told = append(told, jobEvent(act, job))
		}
	}
	if err := a.writeStatus(ctx, w.subject, d.status, now); err != nil {
		return err
	}
	for _, n := range append(told, d.events...) {
		a.record(w.subject, n)
	}
	for _, act := range d.cleanup {
		if err := a.applyAction(ctx, act); err != nil {
			return fmt.Errorf("%s: %w", act, err)
		}
	}
	return nil
}

// applyAction applies one action.
func (a applier) applyAction(ctx context.Context, act action) error {
	log.FromContext(ctx).V(1).Info("Acting", "verb", act.verb, "object", kindOf(act.object)+"/"+act.object.GetName(), "why", act.why)
	err := a.write(ctx, act)
	a.counters.countWrite(act.verb.api(), kindOf(act.object), err)
	switch {
	case act.verb == verbEnsure && apierrors.IsAlreadyExists(err):
		return a.checkOwner(ctx, act.object)
	case act.verb.api() == "delete" && apierrors.IsNotFound(err):
		return nil
	case apierrors.IsAlreadyExists(err), apierrors.IsConflict(err), act.verb.api() == "patch" && apierrors.IsNotFound(err):
		return errStale
	}
	return err
}

// write makes the request of an action. The object is copied where the client writes
// into it.
func (a applier) write(ctx context.Context, act action) error {
	switch act.verb {
	case verbCreate, verbEnsure:
		return a.client.Create(ctx, act.object.DeepCopyObject().(client.Object))
	case verbDelete, verbDeleteForeground:
		propagation := metav1.DeletePropagationBackground
		if act.verb == verbDeleteForeground {
			propagation = metav1.DeletePropagationForeground
		}
		return a.client.Delete(ctx, act.object,
			client.PropagationPolicy(propagation), client.Preconditions{UID: ptr.To(act.object.GetUID())})
	case verbSuspend, verbResume:
		return a.client.Patch(ctx, act.object.DeepCopyObject().(client.Object), suspendPatch(act))
	}
	panic(fmt.Sprintf("controllers: unknown verb %q", act.verb))
}

// conflictError is the error of a name that is needed, and that an object of another
// owner has.
type conflictError struct{ name string }

func (s conflictError) Error() string { return conflictMessage([]string{s.name}) }

// checkOwner returns an error where the ConfigMap of an object's name is not of that
// object's owner.
func (a applier) checkOwner(ctx context.Context, object client.Object) error {
	there := configMapMetadata()
	err := a.client.Get(ctx, client.ObjectKeyFromObject(object), there)
	if apierrors.IsNotFound(err) {
		// The cache does not have it yet, or it was deleted again.
		return errStale
	}
	if err != nil {
		return fmt.Errorf("read what is there: %w", err)
	}
	if owner := metav1.GetControllerOf(there); owner == nil || owner.UID != metav1.GetControllerOf(object).UID {
		return conflictError{"ConfigMap " + object.GetName()}
	}
	return nil
}

// suspendPatch sets a Job's suspend, and notes that this is what the controllers
// wanted. It holds for the very Job that was observed.
func suspendPatch(act action) client.Patch {
	want := act.verb == verbSuspend
	return client.RawPatch(types.MergePatchType, fmt.Appendf(nil,
		`{"metadata":{"uid":%q,"annotations":{%q:%q}},"spec":{"suspend":%t}}`,
		act.object.GetUID(), AnnotationSuspend, strconv.FormatBool(want), want))
}

// reportRefusal returns err, which an action gave. Where that is a refusal, it writes it
// into the status.
func (a applier) reportRefusal(ctx context.Context, w *observation, d decision, err error, now time.Time) error {
	if isNamespaceTerminating(err) {
		return fmt.Errorf("%w: %w", errNamespaceTerminating, err)
	}
	if !isRefusal(err) && !errors.As(err, &conflictError{}) {
		return err
	}
	told := decideRefused(w, d, err, now)
	if failure := a.writeStatus(ctx, w.subject, told.status, now); failure != nil {
		return failure
	}
	for _, n := range told.events {
		a.record(w.subject, n)
	}
	return fmt.Errorf("%w: %w", errRefused, err)
}

// isRefusal reports whether an error is the API server's answer to the object
// itself, such as an exceeded quota, rather than a failure of the server.
func isRefusal(err error) bool {
	return apierrors.IsForbidden(err) || apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) || apierrors.IsRequestEntityTooLargeError(err)
}

// writeStatus writes a status unless it is nil. The write fails where the
// object changed since it was observed, so that an older view never undoes a
// newer status.
func (a applier) writeStatus(ctx context.Context, observed, next subject, now time.Time) error {
	if next == nil {
		return nil
	}
	patch := client.MergeFromWithOptions(observed.object(), client.MergeFromWithOptimisticLock{})
	err := a.client.Status().Patch(ctx, next.deepCopied().object(), patch)
	a.counters.countWrite("patch", next.kind()+"/status", err)
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
		return errStale
	}
	if err != nil {
		return fmt.Errorf("write status: %w", err)
	}
	a.counters.countStatus(observed, next, now)
	before, after := readyReason(observed.status()), readyReason(next.status())
	level := 4
	if before != after {
		level = 1
	}
	log.FromContext(ctx).V(level).Info("Reported", "before", before, "now", after)
	return nil
}

func (a applier) record(s subject, n recordedEvent) {
	typ := corev1.EventTypeNormal
	if n.warning {
		typ = corev1.EventTypeWarning
	}
	a.recorder.Eventf(s.object(), nil, typ, n.reason, n.action, "%s", printable.Clip(n.note, maxNote))
}

// jobEvent is the event of an action on a Job.
func jobEvent(act action, job *batchv1.Job) recordedEvent {
	names := map[verb]string{verbCreate: "JobCreated", verbDelete: "JobDeleted", verbDeleteForeground: "JobDeleted", verbSuspend: "JobSuspended", verbResume: "JobResumed"}
	return recordedEvent{reason: names[act.verb], action: "Reconcile", note: fmt.Sprintf("Job %s: %s", job.Name, act.why)}
}

// kindOf names an object's kind.
func kindOf(object client.Object) string {
	if kind := object.GetObjectKind().GroupVersionKind().Kind; kind != "" {
		return kind
	}
	switch object.(type) {
	case *batchv1.Job:
		return "Job"
	case *corev1.ConfigMap:
		return "ConfigMap"
	case *v1alpha1.SimulationRun:
		return v1alpha1.SimulationRunKind
	case *v1alpha1.PolicySweep:
		return v1alpha1.PolicySweepKind
	default:
		return fmt.Sprintf("%T", object)
	}
}
