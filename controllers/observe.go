// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"windtunnel.dev/windtunnel/api/v1alpha1"
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
	// contents are digests of inputs that changed.
	contents *contents
	// journals are how far studies are.
	journals *journals
	// words are those of pods that are gone.
	words *lastWords
	image string
	clock clock.PassiveClock
	// guard keeps what kills managers from doing so again.
	guard *guard
	// compileTimeout bounds one compilation.
	compileTimeout time.Duration
}

// observe gathers the world around a subject.
func (o *observer) observe(ctx context.Context, s subject) (*world, error) {
	w := &world{subject: s, image: o.image, late: late(s, o.clock.Now())}
	if s.object().GetDeletionTimestamp() != nil {
		o.forget(nameOf(s))
		return w, nil
	}
	if err := o.children(ctx, w); err != nil {
		return nil, err
	}
	var err error
	if w.ending, err = o.ending(ctx, w); err != nil || w.ending {
		return w, err
	}
	if settled(s) {
		o.forget(nameOf(s))
		if err := o.inputs(ctx, w); err != nil {
			return nil, err
		}
		if err := o.damage(ctx, w); err != nil {
			return nil, err
		}
		return w, o.named(ctx, w)
	}
	if w.unsafe = judged(s); w.unsafe != nil {
		return w, nil
	}
	w.plan, w.errs, err = o.plan(ctx, s)
	switch {
	case errors.Is(err, errSuspect), errors.Is(err, errTooExpensive):
		w.unsafe = err
		return w, nil
	case err != nil:
		return nil, err
	}
	if w.plan == nil || w.plan.size > maxPlanBytes || w.repeats() {
		return w, nil
	}
	if err := o.inputs(ctx, w); err != nil {
		return nil, err
	}
	if stillComplete(w) {
		if err := o.damage(ctx, w); err != nil {
			return nil, err
		}
		return w, o.named(ctx, w)
	}
	if err := o.study(ctx, w); err != nil {
		return nil, err
	}
	if w.standing.round == nil {
		if err := o.rollout(ctx, w); err != nil {
			return nil, err
		}
	}
	if err := o.warnings(ctx, w); err != nil {
		return nil, err
	}
	if err := o.missingChild(ctx, w, planName(w.plan.prefix)); err != nil {
		return nil, err
	}
	return w, o.account(ctx, w)
}

// forget drops what is remembered of an object whose work has ended.
func (o *observer) forget(name subjectName) {
	o.journals.forget(name)
	o.plans.release(name)
}

// named reads which chunks a complete subject's index lists, where there are
// others too.
func (o *observer) named(ctx context.Context, w *world) error {
	st := w.subject.status()
	if !isTrue(st, v1alpha1.ConditionComplete) || st.Results == nil {
		return nil
	}
	there := int64(0)
	for i := range w.configMaps {
		labels := w.configMaps[i].Labels
		if _, isList := labels[worker.LabelList]; labels[LabelComponent] == ComponentResult && !isList {
			there++
		}
	}
	if there == st.Results.Chunks {
		return nil
	}
	own := results{reader: o.live, namespace: w.subject.object().GetNamespace(), owner: w.subject}
	index, f, err := own.index(ctx, st.Results.Index, st.Results.SHA256)
	if err != nil || f != nil {
		return err
	}
	w.named = namesOf(index.Chunks)
	return nil
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
		p, err := o.knownPlan(ctx, s, st.PlanHash)
		if p != nil || err != nil {
			return p, nil, err
		}
	}
	from := clusterInputs{reader: o.live, namespace: s.object().GetNamespace(), versions: map[string]string{}}
	compiled, errs, err := o.compile(ctx, s, from)
	if err != nil || len(errs) > 0 {
		return nil, errs, err
	}
	if _, errs, err := o.sources(ctx, s); err != nil || len(errs) > 0 {
		return nil, errs, err
	}
	hashed := hashPlan(compiled.Plan)
	p := newPlanned(o.plans.put(keyOf(s, hashed.hash), nameOf(s), hashed), s)
	p.versions = from.versions
	return p, nil, nil
}

// knownPlan returns the plan of a hash, or nil where it is not to be had. Where
// files of the spec matter, which a stored plan does not hold, it is compiled anew,
// if that gives the same.
func (o *observer) knownPlan(ctx context.Context, s subject, hash string) (*planned, error) {
	if wantsFiles(s) && o.plans.get(keyOf(s, hash), nameOf(s)) == nil {
		compiled, errs, err := o.compile(ctx, s, clusterInputs{reader: o.live, namespace: s.object().GetNamespace()})
		if err != nil {
			return nil, err
		}
		if len(errs) == 0 {
			if hashed := hashPlan(compiled.Plan); hashed.hash == hash {
				o.plans.put(keyOf(s, hash), nameOf(s), hashed)
			}
		}
	}
	return o.storedPlan(ctx, s, hash)
}

// compile compiles a subject's spec in the time that one object may take.
func (o *observer) compile(ctx context.Context, s subject, inputs experiment.Inputs) (*experiment.Compiled, field.ErrorList, error) {
	end, err := o.guard.begin(s)
	if err != nil {
		return nil, nil, err
	}
	defer end()
	timed, cancel := context.WithTimeout(ctx, o.compileTimeout)
	defer cancel()
	began := o.clock.Now()
	compiled, errs, err := compileSafely(timed, s, inputs)
	if cut := (*experiment.Interrupted)(nil); errors.As(err, &cut) && ctx.Err() == nil {
		return nil, field.ErrorList{field.Invalid(cut.Field, field.OmitValueType{}, fmt.Sprintf(
			"takes too long: %.3g s, at most %.3g s: use fewer values, shorter rules or smaller files",
			o.clock.Since(began).Seconds(), o.compileTimeout.Seconds()))}, nil
	}
	return compiled, errs, err
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
	key := keyOf(s, hash)
	if p := o.plans.get(key, nameOf(s)); p != nil {
		return newPlanned(p, s), nil
	}
	name := planName(planPrefix(s.object().GetUID(), s.object().GetName(), hash))
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
	return newPlanned(o.plans.put(key, nameOf(s), &hashedPlan{p, hash, len(raw)}), s), nil
}

// keyOf is what the plan of a hash is remembered by.
func keyOf(s subject, hash string) planKey {
	if wantsFiles(s) {
		return planKey{hash, s.object().GetUID()}
	}
	return planKey{hash: hash}
}

// missingJob asks the API server for the Job of a task that the cache lacks: a
// create that it has not seen yet, one that somebody took the labels from, or a
// stranger's object.
func (o *observer) missingJob(ctx context.Context, w *world) error {
	if slices.ContainsFunc(w.jobs, func(job *batchv1.Job) bool { return job.Name == w.task.job }) {
		return nil
	}
	job := &batchv1.Job{}
	found, err := o.child(ctx, w, w.task.job, job)
	if found {
		w.jobs = append(w.jobs, job)
	}
	return err
}

// missingChild asks it for a ConfigMap.
func (o *observer) missingChild(ctx context.Context, w *world, name string) error {
	if w.hasConfigMap(name) {
		return nil
	}
	cm := configMapMetadata()
	found, err := o.child(ctx, w, name, cm)
	if found {
		w.configMaps = append(w.configMaps, *cm)
	}
	return err
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

// pods lists those of the round's Job.
func (o *observer) pods(ctx context.Context, w *world, job *batchv1.Job) error {
	reader, whose := o.cache, client.ListOption(client.MatchingFields{indexOwner: string(job.UID)})
	if done, _ := finished(job); done {
		// The API server has no such index.
		reader, whose = o.live, client.MatchingLabels{batchv1.JobNameLabel: job.Name}
	}
	var pods corev1.PodList
	err := reader.List(ctx, &pods, client.InNamespace(job.Namespace), whose)
	if err != nil {
		return fmt.Errorf("list pods of Job %s: %w", job.Name, err)
	}
	w.pods = slices.DeleteFunc(pods.Items, func(pod corev1.Pod) bool { return !metav1.IsControlledBy(&pod, job) })
	w.pods = append(w.pods, o.words.of(job.UID, w.pods)...)
	slices.SortFunc(w.pods, func(a, b corev1.Pod) int { return strings.Compare(a.Name, b.Name) })
	now := o.clock.Now()
	w.alive = slices.ContainsFunc(w.pods, func(pod corev1.Pod) bool { return alive(&pod, now) })
	return nil
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
