// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"errors"

	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/bundle"
	"windtunnel.dev/windtunnel/pkg/worker"
)

// observer observes subjects. Lists of children come from the cache. Before an object is
// created because the cache lacks it, the API server is asked for it, so that a cache
// that lags never makes a decision.
type observer struct {
	cache client.Reader
	live  client.Reader
	plans *planCache
	// inputDigests are digests of inputs that changed.
	inputDigests *inputDigests
	// studies remember how far studies are.
	studies *studyCache
	// deletedPods have reported a part of their shard.
	deletedPods *deletedPods
	image       string
	// programs are the limits of code in policy bundles.
	programs bundle.Limits
	clock    clock.PassiveClock
	// compileGuard keeps specs that kill managers from being compiled again.
	compileGuard *compileGuard
	// lane compiles the specs that take long.
	lane *slowLane
}

// observe gathers all that a decision about a subject depends on.
func (o *observer) observe(ctx context.Context, s subject) (*observation, error) {
	w := &observation{subject: s, image: o.image, pastDeadline: isPastDeadline(s, o.clock.Now())}
	if s.object().GetDeletionTimestamp() != nil {
		o.forget(nameOf(s))
		return w, nil
	}
	if err := o.children(ctx, w); err != nil {
		return nil, err
	}
	var err error
	if w.namespaceTerminating, err = o.namespaceTerminating(ctx, w); err != nil || w.namespaceTerminating {
		return w, err
	}
	if settled(s) {
		o.forget(nameOf(s))
		if err := o.inputs(ctx, w); err != nil {
			return nil, err
		}
		if err := o.readDamaged(ctx, w); err != nil {
			return nil, err
		}
		return w, o.readIndexed(ctx, w)
	}
	if w.unsafe = knownTooExpensive(s); w.unsafe != nil {
		return w, nil
	}
	w.plan, w.specErrors, err = o.plan(ctx, s)
	switch {
	case errors.Is(err, errSuspect), errors.Is(err, errTooExpensive), errors.Is(err, errSlow):
		w.unsafe = err
		return w, nil
	case err != nil:
		return nil, err
	}
	if w.plan == nil || w.plan.size > maxPlanBytes || w.editedAfterFailure() {
		return w, nil
	}
	if err := o.inputs(ctx, w); err != nil {
		return nil, err
	}
	if stillComplete(w) {
		if err := o.readDamaged(ctx, w); err != nil {
			return nil, err
		}
		return w, o.readIndexed(ctx, w)
	}
	if err := o.study(ctx, w); err != nil {
		return nil, err
	}
	if w.results.study.over() {
		if err := o.readPublished(ctx, w); err != nil {
			return nil, err
		}
	}
	if err := o.warnings(ctx, w); err != nil {
		return nil, err
	}
	if err := o.missingChild(ctx, w, planName(w.plan.prefix)); err != nil {
		return nil, err
	}
	if err := o.missingEngines(ctx, w); err != nil {
		return nil, err
	}
	return w, o.account(ctx, w)
}

// forget drops what is remembered of an object whose work has ended.
func (o *observer) forget(name subjectName) {
	o.studies.forget(name)
	o.plans.release(name)
}

// readIndexed reads which chunks a complete subject's index lists, where there are
// others too.
func (o *observer) readIndexed(ctx context.Context, w *observation) error {
	st := w.subject.status()
	if !isTrue(st, v1alpha1.ConditionComplete) || st.Results == nil {
		return nil
	}
	there := int64(0)
	for i := range w.children.configMaps {
		labels := w.children.configMaps[i].Labels
		if _, isList := labels[worker.LabelList]; labels[LabelComponent] == ComponentResult && !isList {
			there++
		}
	}
	if there == st.Results.Chunks {
		return nil
	}
	own := resultReader{reader: o.live, namespace: w.subject.object().GetNamespace(), owner: w.subject}
	index, f, err := own.index(ctx, st.Results.Index, st.Results.SHA256)
	if err != nil || f != nil {
		return err
	}
	w.results.indexed = namesOf(index.Chunks, index.Journal)
	return nil
}
