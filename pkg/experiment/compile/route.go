// SPDX-License-Identifier: Apache-2.0

package compile

import (
	"cmp"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/route"
	"windtunnel.dev/windtunnel/pkg/spelling"
)

// route reads the manifests of a scenario's route, and returns the scenario with their rules in
// the words of the API. So a manifest and the same in these words have the same results, and
// paths of a sweep lead into both.
func (c *compiler) route(in *v1alpha1.Scenario, path *field.Path) (*v1alpha1.Scenario, field.ErrorList) {
	if in.Route == nil {
		return in, nil
	}
	at := path.Child("route")
	if errs := validateRoute(in.Route, at); len(errs) > 0 {
		return in, errs
	}
	read := in.DeepCopy()
	routers := &routersOfPools{in: read}
	errs := c.httpRoute(read, routers, at.Child("httpRoute"))
	return read, append(errs, c.modelRewrites(read, routers, at.Child("modelRewrites"))...)
}

// validateRoute says which fields of a route do not go together, and whether it has none.
func validateRoute(r *v1alpha1.Route, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	divides, rewrites := len(r.Backends)+len(r.Rules) > 0, len(r.Rewrites) > 0
	if r.HTTPRoute != nil && divides {
		errs = append(errs, field.Forbidden(path.Child("httpRoute"), "has backends and rules of its own: set httpRoute, or backends and rules"))
	}
	if r.ModelRewrites != nil && rewrites {
		errs = append(errs, field.Forbidden(path.Child("modelRewrites"), "set rewrites or modelRewrites, not both"))
	}
	if r.Path != "" && r.HTTPRoute == nil {
		errs = append(errs, field.Forbidden(path.Child("path"), "goes with httpRoute"))
	}
	if !divides && !rewrites && r.HTTPRoute == nil && r.ModelRewrites == nil {
		errs = append(errs, field.Required(path, "state one of backends, rules, httpRoute, rewrites and modelRewrites"))
	}
	return errs
}

// httpRoute puts the rules of HTTPRoutes into the place of their manifests.
func (c *compiler) httpRoute(in *v1alpha1.Scenario, routers *routersOfPools, path *field.Path) field.ErrorList {
	r := in.Route
	if r.HTTPRoute == nil {
		return nil
	}
	text, at, errs := c.text(source{r.HTTPRoute.Inline, r.HTTPRoute.ConfigMapRef, r.HTTPRoute.File}, path)
	if len(errs) > 0 {
		return errs
	}
	read, errs := route.ReadHTTPRoutes(text, r.Path, at)
	if len(errs) > 0 {
		return errs
	}
	c.plan.Warnings = append(c.plan.Warnings, read.Notes...)
	r.HTTPRoute, r.Path = nil, ""
	for i := range read.Rules {
		rule := &read.Rules[i]
		backends, es := routers.backends(rule.Backends)
		errs = append(errs, es...)
		if rule.IsForAll() {
			r.Backends = backends
			continue
		}
		out := v1alpha1.RouteRule{Name: rule.Name, Model: rule.Model, Backends: backends}
		for name, value := range rule.Headers {
			if out.Headers == nil {
				out.Headers = map[string]v1alpha1.HeaderValue{}
			}
			out.Headers[name] = v1alpha1.HeaderValue(value)
		}
		r.Rules = append(r.Rules, out)
	}
	return errs
}

// routersOfPools finds the routers that InferencePools stand for.
type routersOfPools struct {
	in *v1alpha1.Scenario
	// only is the InferencePool of a scenario with one router: the first one that a manifest names.
	only string
}

// backends are the routers whose InferencePools a rule names.
func (r *routersOfPools) backends(shares []route.PoolShare) ([]v1alpha1.RouteBackend, field.ErrorList) {
	var backends []v1alpha1.RouteBackend
	var errs field.ErrorList
	for _, s := range shares {
		key, es := r.of(s.Pool, s.At.Child("name"))
		errs = append(errs, es...)
		backends = append(backends, v1alpha1.RouteBackend{Router: key, Weight: &s.Weight})
	}
	return backends, errs
}

// of names the router that an InferencePool stands for; empty for the only one.
func (r *routersOfPools) of(pool string, at *field.Path) (string, field.ErrorList) {
	if len(r.in.Routers) == 0 {
		if r.only = cmp.Or(r.only, pool); pool != r.only {
			return "", field.ErrorList{field.Invalid(at, pool, fmt.Sprintf("the scenario has one router, which stands for %q: list the routers of both InferencePools in routers", r.only))}
		}
		return "", nil
	}
	var pools []string
	for i := range r.in.Routers {
		router := &r.in.Routers[i]
		if router.PoolName() == pool {
			return router.Key(), nil
		}
		pools = append(pools, router.PoolName())
	}
	return "", field.ErrorList{field.Invalid(at, pool, "is the InferencePool of no router; those of the routers are "+spelling.Quote(pools)+": state inferencePool of a router")}
}

// modelRewrites puts the rules of InferenceModelRewrites into the place of their manifests.
func (c *compiler) modelRewrites(in *v1alpha1.Scenario, routers *routersOfPools, path *field.Path) field.ErrorList {
	r := in.Route
	if r.ModelRewrites == nil {
		return nil
	}
	text, at, errs := c.text(source{r.ModelRewrites.Inline, r.ModelRewrites.ConfigMapRef, r.ModelRewrites.File}, path)
	if len(errs) > 0 {
		return errs
	}
	read, errs := route.ReadModelRewrites(text, at)
	r.ModelRewrites = nil
	for i := range read {
		key, es := routers.of(read[i].Pool, read[i].At)
		errs = append(errs, es...)
		r.Rewrites = append(r.Rewrites, v1alpha1.ModelRewrite{Name: read[i].Name, Router: key, Model: read[i].Model, Targets: targetsOf(read[i].Targets)})
	}
	return errs
}

// targetsOf are the targets of a rewrite, each model once.
func targetsOf(in []route.Target) []v1alpha1.RewriteTarget {
	var targets []v1alpha1.RewriteTarget
	for _, t := range in {
		i := slices.IndexFunc(targets, func(r v1alpha1.RewriteTarget) bool { return r.Model == t.Model })
		switch {
		case i < 0:
			targets = append(targets, v1alpha1.RewriteTarget{Model: t.Model, Weight: t.Weight})
		case targets[i].Weight != nil && t.Weight != nil:
			sum := *targets[i].Weight + *t.Weight
			targets[i].Weight = &sum
		case targets[i].Weight == nil:
			targets[i].Weight = t.Weight
		}
	}
	return targets
}
