// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/worker"
)

// observer gathers worlds. Lists of children come from the cache; what the cache
// does not have when it matters is asked of the API server, so that a cache
// that lags never makes a decision.
type observer struct {
	cache client.Reader
	live  client.Reader
	plans *planCache
	image string
}

// observe gathers the world around a subject.
func (o *observer) observe(ctx context.Context, s subject) (*world, error) {
	w := &world{subject: s, image: o.image}
	if s.object().GetDeletionTimestamp() != nil {
		return w, nil
	}
	if err := o.children(ctx, w); err != nil {
		return nil, err
	}
	if settled(s) {
		return w, nil
	}
	var err error
	if w.plan, w.errs, err = o.plan(ctx, s); err != nil {
		return nil, err
	}
	if w.plan == nil {
		return w, nil
	}
	if err := o.missingChildren(ctx, w); err != nil {
		return nil, err
	}
	if err := o.pods(ctx, w); err != nil {
		return nil, err
	}
	if err := o.chunks(ctx, w); err != nil {
		return nil, err
	}
	return w, o.account(ctx, w)
}

// children lists what the subject owns.
func (o *observer) children(ctx context.Context, w *world) error {
	own := []client.ListOption{
		client.InNamespace(w.subject.object().GetNamespace()),
		client.MatchingFields{indexOwner: string(w.subject.object().GetUID())},
	}
	var jobs batchv1.JobList
	if err := o.cache.List(ctx, &jobs, own...); err != nil {
		return fmt.Errorf("list Jobs: %w", err)
	}
	for i := range jobs.Items {
		w.jobs = append(w.jobs, &jobs.Items[i])
	}
	var configMaps metav1.PartialObjectMetadataList
	configMaps.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("ConfigMapList"))
	if err := o.cache.List(ctx, &configMaps, own...); err != nil {
		return fmt.Errorf("list ConfigMaps: %w", err)
	}
	for i := range configMaps.Items {
		// A delete of metadata alone needs to know the kind.
		configMaps.Items[i].TypeMeta = configMapMetadata().TypeMeta
	}
	w.configMaps = configMaps.Items
	slices.SortFunc(w.jobs, func(a, b *batchv1.Job) int { return strings.Compare(a.Name, b.Name) })
	slices.SortFunc(w.configMaps, func(a, b metav1.PartialObjectMetadata) int { return strings.Compare(a.Name, b.Name) })
	return nil
}

// plan returns the plan of the subject's spec, or what is wrong with it. Within
// one generation it is compiled once: its inputs may change later, and what
// runs must not change with them.
func (o *observer) plan(ctx context.Context, s subject) (*planned, field.ErrorList, error) {
	st := s.status()
	if st.ObservedGeneration == s.object().GetGeneration() && st.PlanHash != "" {
		p, err := o.storedPlan(ctx, s, st.PlanHash)
		if p != nil || err != nil {
			return p, nil, err
		}
	}
	compiled, errs, err := compileSafely(ctx, s, clusterInputs{reader: o.live, namespace: s.object().GetNamespace()})
	if err != nil || len(errs) > 0 {
		return nil, errs, err
	}
	p := newPlanned(compiled.Plan, compiled.Plan.Encode(), s)
	o.plans.put(p.hash, p.Plan)
	return p, nil, nil
}

// compileSafely makes a fault of the spec of a panic: its owner gets to see it,
// and nobody else's objects wait for it.
func compileSafely(ctx context.Context, s subject, inputs experiment.Inputs) (c *experiment.Compiled, errs field.ErrorList, err error) {
	defer func() {
		if r := recover(); r != nil {
			log.FromContext(ctx).Error(fmt.Errorf("panic: %v", r), "Compiling the spec", "stack", string(debug.Stack()))
			c, errs = nil, field.ErrorList{field.InternalError(field.NewPath("spec"), fmt.Errorf("a defect of Windtunnel, please report it: %v", r))}
		}
	}()
	return s.compile(ctx, inputs)
}

// storedPlan returns the plan of a hash from memory or from its ConfigMap, or
// nil where neither has it.
func (o *observer) storedPlan(ctx context.Context, s subject, hash string) (*planned, error) {
	if p := o.plans.get(hash); p != nil {
		return newPlanned(p, p.Encode(), s), nil
	}
	name := planName(jobName(s.object().GetUID(), s.object().GetName(), hash, s.execution()))
	var cm corev1.ConfigMap
	err := o.live.Get(ctx, client.ObjectKey{Namespace: s.object().GetNamespace(), Name: name}, &cm)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read plan: %w", err)
	}
	raw := []byte(cm.Data[worker.PlanFile])
	if experiment.Digest(raw) != hash {
		return nil, nil
	}
	p, err := experiment.DecodePlan(raw)
	if err != nil {
		// An older version wrote it, which simulates otherwise.
		return nil, nil
	}
	o.plans.put(hash, p)
	return newPlanned(p, raw, s), nil
}

// missingChildren asks the API server for what the cache lacks of the plan's
// children: a create that the cache has not seen yet, or a stranger's object.
func (o *observer) missingChildren(ctx context.Context, w *world) error {
	if w.job() == nil {
		job := &batchv1.Job{}
		found, err := o.child(ctx, w, w.plan.job, job)
		if err != nil {
			return err
		}
		if found {
			w.jobs = append(w.jobs, job)
		}
	}
	if !w.hasPlanConfigMap() {
		cm := configMapMetadata()
		found, err := o.child(ctx, w, planName(w.plan.job), cm)
		if err != nil {
			return err
		}
		if found {
			w.configMaps = append(w.configMaps, *cm)
		}
	}
	return nil
}

// child reads an object that the subject should own. Where it is somebody
// else's, the world has a stranger.
func (o *observer) child(ctx context.Context, w *world, name string, object client.Object) (bool, error) {
	err := o.live.Get(ctx, client.ObjectKey{Namespace: w.subject.object().GetNamespace(), Name: name}, object)
	switch {
	case apierrors.IsNotFound(err):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("read %s %s: %w", kindOf(object), name, err)
	case !ownedBy(object, w.subject):
		w.strangers = append(w.strangers, fmt.Sprintf("%s %s", kindOf(object), name))
		return false, nil
	}
	return true, nil
}

// pods lists those of the plan's Job.
func (o *observer) pods(ctx context.Context, w *world) error {
	job := w.job()
	if job == nil {
		return nil
	}
	reader := o.cache
	if done, _ := finished(job); done {
		reader = o.live
	}
	var pods corev1.PodList
	err := reader.List(ctx, &pods, client.InNamespace(job.Namespace), client.MatchingLabels{batchv1.JobNameLabel: job.Name})
	if err != nil {
		return fmt.Errorf("list pods of Job %s: %w", job.Name, err)
	}
	w.pods = slices.DeleteFunc(pods.Items, func(pod corev1.Pod) bool { return !metav1.IsControlledBy(&pod, job) })
	slices.SortFunc(w.pods, func(a, b corev1.Pod) int { return strings.Compare(a.Name, b.Name) })
	return nil
}

// chunks reads the results that must be read.
func (o *observer) chunks(ctx context.Context, w *world) error {
	w.chunks = map[string]chunk{}
	for _, name := range newLedger(w.plan, w.subject.status().Results, w.pods).unread() {
		var cm corev1.ConfigMap
		err := o.live.Get(ctx, client.ObjectKey{Namespace: w.subject.object().GetNamespace(), Name: name}, &cm)
		switch {
		case apierrors.IsNotFound(err):
			w.chunks[name] = chunk{}
		case err != nil:
			return fmt.Errorf("read result %s: %w", name, err)
		default:
			w.chunks[name] = newChunk(&cm, w.subject)
		}
	}
	return nil
}

func newChunk(cm *corev1.ConfigMap, s subject) chunk {
	c := chunk{found: true, owned: ownedBy(cm, s), sealed: cm.Immutable != nil && *cm.Immutable}
	c.Data, c.Binary = cm.Data, cm.BinaryData
	return c
}

// account looks for the workers' account.
func (o *observer) account(ctx context.Context, w *world) error {
	key := client.ObjectKey{Namespace: w.subject.object().GetNamespace(), Name: WorkerName}
	err := o.live.Get(ctx, key, &corev1.ServiceAccount{})
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("read ServiceAccount %s: %w", WorkerName, err)
	}
	w.account.serviceAccount = err == nil
	var binding rbacv1.RoleBinding
	err = o.live.Get(ctx, key, &binding)
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("read RoleBinding %s: %w", WorkerName, err)
	}
	w.account.roleBinding = err == nil
	if want := makeRoleBinding(key.Namespace); err == nil &&
		(binding.RoleRef != want.RoleRef || !slices.Contains(binding.Subjects, want.Subjects[0])) {
		w.strangers = append(w.strangers, "RoleBinding "+WorkerName)
	}
	return nil
}
