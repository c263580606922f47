// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

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
	from := clusterInputs{reader: o.live, namespace: s.object().GetNamespace(), versions: map[string]string{}, programs: o.programs}
	c := o.compile(ctx, s, from)
	if c.err != nil || len(c.errs) > 0 {
		return nil, c.errs, c.err
	}
	if _, errs, err := o.sources(ctx, s); err != nil || len(errs) > 0 {
		return nil, errs, err
	}
	hashed := hashPlan(c.compiled.Plan)
	p := newSubjectPlan(o.plans.put(keyOf(s, hashed.hash), nameOf(s), hashed), s)
	if used, ok := c.inputs.(clusterInputs); ok {
		p.versions = used.versions // the slow lane had other inputs
	}
	return p, nil, nil
}

// knownPlan returns the plan of a hash, or nil where it is not to be had. Where
// files of the spec matter, which a stored plan does not hold, it is compiled anew,
// if that gives the same.
func (o *observer) knownPlan(ctx context.Context, s subject, hash string) (*subjectPlan, error) {
	if needsSpecFiles(s) && o.plans.get(keyOf(s, hash), nameOf(s)) == nil {
		c := o.compile(ctx, s, clusterInputs{reader: o.live, namespace: s.object().GetNamespace(), versions: map[string]string{}, programs: o.programs})
		if c.err != nil {
			return nil, c.err
		}
		if len(c.errs) == 0 {
			if hashed := hashPlan(c.compiled.Plan); hashed.hash == hash {
				o.plans.put(keyOf(s, hash), nameOf(s), hashed)
			}
		}
	}
	return o.storedPlan(ctx, s, hash)
}

// compile compiles a subject's spec: at once if it takes little processor time, and in the slow lane
// otherwise. The error is errSlow as long as it waits there.
func (o *observer) compile(ctx context.Context, s subject, inputs compile.Inputs) compilation {
	if !o.lane.takes(s) {
		end, err := o.compileGuard.begin(s)
		if err != nil {
			return compilation{err: err}
		}
		c := o.lane.compileWithin(ctx, s, inputs, o.lane.quick)
		end()
		if o.lane.charge(s, c.used, c.cut != nil); c.cut == nil {
			return c
		}
	}
	o.lane.brief.end(nameOf(s))
	c := o.lane.ask(ctx, s, func(ctx context.Context) compilation {
		end, err := o.compileGuard.beginSlow(s)
		if err != nil {
			return compilation{err: err}
		}
		defer end()
		return o.lane.compileWithin(ctx, s, inputs, o.lane.most)
	})
	switch {
	case c == nil:
		return compilation{err: errSlow}
	case c.cut != nil:
		c.errs, c.err = o.lane.tooLong(c.cut, c.used), nil
	}
	if c.err == nil {
		o.lane.charge(s, 0, c.used >= o.lane.quick)
	}
	return *c
}

// compileWithin compiles a spec in a processor time. It gives way to brief reconciles.
func (l *slowLane) compileWithin(ctx context.Context, s subject, inputs compile.Inputs, most time.Duration) compilation {
	c := compilation{inputs: inputs}
	used, over := within(ctx, most, func(ctx context.Context) {
		c.compiled, c.errs, c.err = compileSafely(compile.WithPause(ctx, l.brief.pause(nameOf(s), threadTime())), s, inputs)
	})
	c.used = used
	if cut := (*experiment.Interrupted)(nil); over && errors.As(c.err, &cut) && ctx.Err() == nil {
		c.cut = cut.Field
	}
	return c
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
