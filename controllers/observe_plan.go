// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/worker"
)

// plan returns the plan of the subject's spec, or what is wrong with it. Within
// one generation it is compiled once: its inputs may change later, and what
// runs must not change with them.
func (o *observer) plan(ctx context.Context, s subject) (*subjectPlan, field.ErrorList, error) {
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
	p := newSubjectPlan(o.plans.put(keyOf(s, hashed.hash), nameOf(s), hashed), s)
	p.versions = from.versions
	return p, nil, nil
}

// knownPlan returns the plan of a hash, or nil where it is not to be had. Where
// files of the spec matter, which a stored plan does not hold, it is compiled anew,
// if that gives the same.
func (o *observer) knownPlan(ctx context.Context, s subject, hash string) (*subjectPlan, error) {
	if needsSpecFiles(s) && o.plans.get(keyOf(s, hash), nameOf(s)) == nil {
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
func (o *observer) compile(ctx context.Context, s subject, inputs compile.Inputs) (*compile.Compiled, field.ErrorList, error) {
	end, err := o.compileGuard.begin(s)
	if err != nil {
		return nil, nil, err
	}
	defer end()
	timed, cancel := context.WithTimeout(ctx, o.compileTimeout)
	defer cancel()
	began, used := o.clock.Now(), o.processorTime()
	compiled, errs, err := compileSafely(timed, s, inputs)
	if cut := (*experiment.Interrupted)(nil); errors.As(err, &cut) && ctx.Err() == nil {
		had := o.processorTime() - used
		if !o.compileGuard.noteSlow(s) || had.Seconds() < starvedShare*o.compileTimeout.Seconds() {
			log.FromContext(ctx).Info("Compiling the spec took too long, and the spec is not to blame yet", "processorTime", had.String(), "in", o.clock.Since(began).String())
			return nil, nil, errStarved
		}
		return nil, field.ErrorList{field.Invalid(cut.Field, field.OmitValueType{}, fmt.Sprintf(
			"takes too long to compile: %.3g s, at most %.3g s: use fewer values, shorter rules or smaller files",
			o.clock.Since(began).Seconds(), o.compileTimeout.Seconds()))}, nil
	}
	if err == nil {
		o.compileGuard.forgetSlow(s)
	}
	return compiled, errs, err
}

// compileSafely turns a panic into an error of the spec: the status shows it, and other
// objects do not wait.
func compileSafely(ctx context.Context, s subject, inputs compile.Inputs) (c *compile.Compiled, errs field.ErrorList, err error) {
	defer func() {
		if r := recover(); r != nil {
			log.FromContext(ctx).Error(fmt.Errorf("panic: %v", r), "Compiling the spec", "stack", string(debug.Stack()))
			c, errs = nil, field.ErrorList{field.InternalError(field.NewPath("spec"), fmt.Errorf("this is a defect in Windtunnel; please report it: %v", r))}
		}
	}()
	return s.compile(ctx, inputs)
}

// storedPlan returns the plan of a hash from memory or from its ConfigMap, or
// nil where neither has it.
func (o *observer) storedPlan(ctx context.Context, s subject, hash string) (*subjectPlan, error) {
	key := keyOf(s, hash)
	if p := o.plans.get(key, nameOf(s)); p != nil {
		return newSubjectPlan(p, s), nil
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
	return newSubjectPlan(o.plans.put(key, nameOf(s), &hashedPlan{p, hash, len(raw)}), s), nil
}

// keyOf is what the plan of a hash is remembered by.
func keyOf(s subject, hash string) planKey {
	if needsSpecFiles(s) {
		return planKey{hash, s.object().GetUID()}
	}
	return planKey{hash: hash}
}
