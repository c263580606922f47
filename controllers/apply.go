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
)

// maxNote is what an event's note can hold, in bytes.
const maxNote = 1024

// applier carries decisions out. It decides nothing.
type applier struct {
	client   client.Client
	recorder events.EventRecorder
	tally    *tally
}

// errStale says that the world moved on since it was observed; it is to be
// observed again.
var errStale = errors.New("the world has changed since it was observed")

// errRefused says that the API server refused an act, and that the status tells
// so; it is to be tried again later.
var errRefused = errors.New("refused")

// errNamespaceEnds says that the API server refused an act because the namespace is
// being deleted: nobody is told, and the object goes next.
var errNamespaceEnds = fmt.Errorf("%w: the namespace is being deleted", errRefused)

// apply does the acts, writes the status, tells the news and cleans up. It
// stops at the first failure. An act's refusal by the API server goes into the
// status.
func (a applier) apply(ctx context.Context, w *observation, d decision, now time.Time) error {
	var told []news
	for _, act := range d.acts {
		if err := a.do(ctx, act); err != nil {
			return a.hindered(ctx, w, d, fmt.Errorf("%s: %w", act, err), now)
		}
		if job, ok := act.object.(*batchv1.Job); ok {
			told = append(told, jobNews(act, job))
		}
	}
	if err := a.writeStatus(ctx, w.subject, d.status, now); err != nil {
		return err
	}
	for _, n := range append(told, d.news...) {
		a.tell(w.subject, n)
	}
	for _, act := range d.cleanup {
		if err := a.do(ctx, act); err != nil {
			return fmt.Errorf("%s: %w", act, err)
		}
	}
	return nil
}

// do carries out one act.
func (a applier) do(ctx context.Context, act act) error {
	log.FromContext(ctx).V(1).Info("Acting", "verb", act.verb, "object", kindOf(act.object)+"/"+act.object.GetName(), "why", act.why)
	err := a.write(ctx, act)
	a.tally.wrote(act.verb.api(), kindOf(act.object), err)
	switch {
	case act.verb == ensure && apierrors.IsAlreadyExists(err):
		return a.belongs(ctx, act.object)
	case act.verb.api() == "delete" && apierrors.IsNotFound(err):
		return nil
	case apierrors.IsAlreadyExists(err), apierrors.IsConflict(err), act.verb.api() == "patch" && apierrors.IsNotFound(err):
		return errStale
	}
	return err
}

// write makes the request of an act. The object is copied where the client writes
// into it.
func (a applier) write(ctx context.Context, act act) error {
	switch act.verb {
	case create, ensure:
		return a.client.Create(ctx, act.object.DeepCopyObject().(client.Object))
	case remove, unwind:
		propagation := metav1.DeletePropagationBackground
		if act.verb == unwind {
			propagation = metav1.DeletePropagationForeground
		}
		return a.client.Delete(ctx, act.object,
			client.PropagationPolicy(propagation), client.Preconditions{UID: ptr.To(act.object.GetUID())})
	case suspend, resume:
		return a.client.Patch(ctx, act.object.DeepCopyObject().(client.Object), suspendPatch(act))
	}
	panic(fmt.Sprintf("controllers: unknown verb %q", act.verb))
}

// stranger is the error of a name that is needed and that somebody else's object
// bears.
type stranger struct{ name string }

func (s stranger) Error() string { return strangerWords([]string{s.name}) }

// belongs returns an error where the ConfigMap of an object's name is not of that
// object's owner.
func (a applier) belongs(ctx context.Context, object client.Object) error {
	there := configMapMetadata()
	err := a.client.Get(ctx, client.ObjectKeyFromObject(object), there)
	if apierrors.IsNotFound(err) {
		// The cache has not seen it yet, or it is gone again.
		return errStale
	}
	if err != nil {
		return fmt.Errorf("read what is there: %w", err)
	}
	if owner := metav1.GetControllerOf(there); owner == nil || owner.UID != metav1.GetControllerOf(object).UID {
		return stranger{"ConfigMap " + object.GetName()}
	}
	return nil
}

// suspendPatch sets a Job's suspend, and notes that this is what the controllers
// wanted. It holds for the very Job that was observed.
func suspendPatch(act act) client.Patch {
	want := act.verb == suspend
	return client.RawPatch(types.MergePatchType, fmt.Appendf(nil,
		`{"metadata":{"uid":%q,"annotations":{%q:%q}},"spec":{"suspend":%t}}`,
		act.object.GetUID(), AnnotationSuspend, strconv.FormatBool(want), want))
}

// hindered returns err, which an act gave. Where that is a refusal, it writes it
// into the status.
func (a applier) hindered(ctx context.Context, w *observation, d decision, err error, now time.Time) error {
	if namespaceEnds(err) {
		return fmt.Errorf("%w: %w", errNamespaceEnds, err)
	}
	if !refusal(err) && !errors.As(err, &stranger{}) {
		return err
	}
	told := hinder(w, d, err, now)
	if failure := a.writeStatus(ctx, w.subject, told.status, now); failure != nil {
		return failure
	}
	for _, n := range told.news {
		a.tell(w.subject, n)
	}
	return fmt.Errorf("%w: %w", errRefused, err)
}

// refusal reports whether an error is the API server's answer to the object
// itself, such as an exceeded quota, rather than a failure of the server.
func refusal(err error) bool {
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
	err := a.client.Status().Patch(ctx, next.copied().object(), patch)
	a.tally.wrote("patch", next.kind()+"/status", err)
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
		return errStale
	}
	if err != nil {
		return fmt.Errorf("write status: %w", err)
	}
	a.tally.reported(observed, next, now)
	before, after := readyReason(observed.status()), readyReason(next.status())
	level := 4
	if before != after {
		level = 1
	}
	log.FromContext(ctx).V(level).Info("Reported", "before", before, "now", after)
	return nil
}

func (a applier) tell(s subject, n news) {
	typ := corev1.EventTypeNormal
	if n.warning {
		typ = corev1.EventTypeWarning
	}
	a.recorder.Eventf(s.object(), nil, typ, n.reason, n.action, "%s", clip(n.note, maxNote))
}

// jobNews tells of an act on a Job.
func jobNews(act act, job *batchv1.Job) news {
	names := map[verb]string{create: "JobCreated", remove: "JobDeleted", unwind: "JobDeleted", suspend: "JobSuspended", resume: "JobResumed"}
	return news{reason: names[act.verb], action: "Reconcile", note: fmt.Sprintf("Job %s: %s", job.Name, act.why)}
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
		return kindRun
	case *v1alpha1.PolicySweep:
		return kindSweep
	default:
		return fmt.Sprintf("%T", object)
	}
}
