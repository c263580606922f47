// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"cmp"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/route"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/spelling"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// DividesRequests reports whether a route says which router a request goes to.
func DividesRequests(r *v1alpha1.Route) bool {
	return r != nil && (len(r.Backends) > 0 || len(r.Rules) > 0 || r.HTTPRoute != nil)
}

// aliasesOf are the names of models that rewrites of a scenario know and that no pool has, with
// the base model of the rewrite's router.
func aliasesOf(in *v1alpha1.Scenario) map[string]string {
	if in.Route == nil {
		return nil
	}
	aliases, known := map[string]string{}, poolModels(in)
	for i := range in.Route.Rewrites {
		r := &in.Route.Rewrites[i]
		if at := routerAt(in, r.Router); r.Model != "" && at != nobody && !slices.Contains(known, r.Model) {
			aliases[r.Model] = baseOf(in, at)
		}
	}
	return aliases
}

// routerAt is the index of a router among those of a scenario, which is 0 of the only one.
func routerAt(in *v1alpha1.Scenario, key string) int {
	if len(in.Routers) == 0 && key == "" {
		return 0
	}
	return slices.IndexFunc(in.Routers, func(r v1alpha1.ModelRouter) bool { return r.Key() == key })
}

// baseOf is the base model of a router.
func baseOf(in *v1alpha1.Scenario, router int) string {
	if len(in.Routers) == 0 {
		return in.Pools[0].Model
	}
	return in.Routers[router].Model
}

// routeRules are the rules of a scenario's route, in order; backends are the last one, without
// conditions.
func routeRules(in *v1alpha1.Scenario) []route.Rule {
	if in.Route == nil {
		return nil
	}
	var rules []route.Rule
	for i := range in.Route.Rules {
		r := &in.Route.Rules[i]
		rules = append(rules, route.Rule{Model: r.Model, Headers: buildHeaders(r.Headers), Routers: routeShares(in, r.Backends)})
	}
	if len(in.Route.Backends) > 0 {
		rules = append(rules, route.Rule{Routers: routeShares(in, in.Route.Backends)})
	}
	return rules
}

func routeShares(in *v1alpha1.Scenario, backends []v1alpha1.RouteBackend) []route.Share {
	var shares []route.Share
	for i := range backends {
		shares = append(shares, route.Share{Index: routerAt(in, backends[i].Router), Weight: weightOf(backends[i].Weight, 1)})
	}
	return shares
}

func weightOf(weight *int32, otherwise int32) int32 {
	if weight == nil {
		return otherwise
	}
	return *weight
}

// rewritesOf are the rewrites of a router, in order.
func rewritesOf(in *v1alpha1.Scenario, router int) []v1alpha1.ModelRewrite {
	var of []v1alpha1.ModelRewrite
	if in.Route != nil {
		for _, r := range in.Route.Rewrites {
			if routerAt(in, r.Router) == router {
				of = append(of, r)
			}
		}
	}
	return of
}

// rewriteFinder finds the rewrite of a router for requests that name a model; nil without one.
func rewriteFinder(in *v1alpha1.Scenario, router int) func(model string) *v1alpha1.ModelRewrite {
	all := rewritesOf(in, router)
	var rewrites []route.Rewrite
	for i := range all {
		rewrites = append(rewrites, route.Rewrite{Model: all[i].Model})
	}
	return func(model string) *v1alpha1.ModelRewrite {
		if at := route.FindRewrite(rewrites, model); at >= 0 {
			return &all[at]
		}
		return nil
	}
}

// buildRoute makes how requests find their router; nil where that is the only router of their
// model, and no rewrite gives them another model. Shares are of parts, which routers are in the order of.
func buildRoute(in *v1alpha1.Scenario, parts []Part, labels workload.Labels, seed int64) simulator.Route {
	if in.Route == nil {
		return nil
	}
	order := make([]int, len(parts)) // the parts of routers
	for i := range parts {
		order[parts[i].Router] = i
	}
	c := route.Config{
		Rules: routeRules(in), Only: routerOf(parts, labels.Models),
		Models: append([]string{poolModels(in)[0]}, labels.Models...), Adapters: slices.Clone(labels.Adapters), Headers: labels.Headers,
	}
	for i := range c.Rules {
		for j := range c.Rules[i].Routers {
			c.Rules[i].Routers[j].Index = order[c.Rules[i].Routers[j].Index]
		}
	}
	for i := range parts {
		var all []route.Rewrite
		for _, r := range rewritesOf(in, parts[i].Router) {
			all = append(all, route.Rewrite{Model: r.Model, Models: rewriteShares(r.Targets, baseOf(in, parts[i].Router), &c.Adapters)})
		}
		c.Rewrites = append(c.Rewrites, all)
	}
	return route.New(&c, seed)
}

// rewriteShares are the shares of the targets of a rewrite. Where the weights add up to 0, all
// targets have the same share; else one without a weight has none. Adapters that no request names
// are added.
func rewriteShares(targets []v1alpha1.RewriteTarget, base string, adapters *[]string) []route.Share {
	var shares []route.Share
	sum := int32(0)
	for i := range targets {
		number := 0
		if name := targets[i].Model; name != base {
			if number = slices.Index(*adapters, name) + 1; number == 0 {
				*adapters = append(*adapters, name)
				number = len(*adapters)
			}
		}
		shares = append(shares, route.Share{Index: number, Weight: weightOf(targets[i].Weight, 0)})
		sum += shares[i].Weight
	}
	for i := range shares {
		if sum == 0 {
			shares[i].Weight = 1
		}
	}
	return shares
}

// reached are the routers that requests with a name of a model and headers may reach, whatever
// the weights are; none where the gateway knows no router for them.
func reached(in *v1alpha1.Scenario, served servedModels, model string, headers map[string]string) []int {
	for _, r := range routeRules(in) {
		if r.Matches(model, headers) {
			var routers []int
			for _, s := range r.Routers {
				routers = append(routers, s.Index)
			}
			return routers
		}
	}
	if len(in.Routers) == 0 {
		return []int{0}
	}
	var routers []int
	for i := range in.Routers {
		if in.Routers[i].Model == served.base(model) {
			routers = append(routers, i)
		}
	}
	if len(routers) > 1 {
		return nil
	}
	return routers
}

// nameOf is the name that requests give their model: that of the adapter, or else of the model, or
// of the only base model.
func nameOf(in *v1alpha1.Scenario, adapter, model string) string {
	return cmp.Or(adapter, model, poolModels(in)[0])
}

// validateRoute says what is wrong with the route of a scenario, and which requests find no engine
// that serves them.
func validateRoute(in *v1alpha1.Scenario, path *field.Path) field.ErrorList {
	if in.Route == nil {
		return nil
	}
	at := path.Child("route")
	errs := validateBackends(in, in.Route.Backends, at.Child("backends"))
	for i := range in.Route.Rules {
		errs = append(errs, validateBackends(in, in.Route.Rules[i].Backends, at.Child("rules").Index(i).Child("backends"))...)
	}
	for i := range in.Route.Rewrites {
		if key := in.Route.Rewrites[i].Router; routerAt(in, key) == nobody {
			errs = append(errs, field.Invalid(at.Child("rewrites").Index(i).Child("router"), key, knownRouters(in)))
		}
	}
	if len(errs) > 0 {
		return errs
	}
	return validateReach(in, path)
}

// knownRouters says which routers there are.
func knownRouters(in *v1alpha1.Scenario) string {
	if len(in.Routers) == 0 {
		return "the scenario has one router: list several in routers, or name none"
	}
	var keys []string
	for i := range in.Routers {
		keys = append(keys, in.Routers[i].Key())
	}
	return "must be the name of a router: there are " + spelling.Quote(keys)
}

// validateBackends says which backends are no routers, and whether none gets requests.
func validateBackends(in *v1alpha1.Scenario, backends []v1alpha1.RouteBackend, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	sum := int32(0)
	for i := range backends {
		sum += weightOf(backends[i].Weight, 1)
		if routerAt(in, backends[i].Router) == nobody {
			errs = append(errs, field.Invalid(path.Index(i).Child("router"), backends[i].Router, knownRouters(in)))
		}
	}
	if sum == 0 && len(backends) > 0 {
		errs = append(errs, field.Invalid(path, 0, "all weights are 0: a gateway answers all requests with 500"))
	}
	return errs
}

// validateReach says which requests match no rule, and which may reach a router that cannot serve
// them.
func validateReach(in *v1alpha1.Scenario, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	served := servedBy(in)
	check := func(adapter, model string, headers map[string]string, path *field.Path) {
		if model != "" && !slices.Contains(served.names, served.base(model)) || model == "" && served.several {
			return // which is an error of its own
		}
		name := nameOf(in, adapter, model)
		routers := reached(in, served, name, headers)
		if len(routers) == 0 {
			errs = append(errs, field.Invalid(path, name, "no rule of the route matches these requests, and a gateway answers 404: state route.backends"))
		}
		base := served.base(nameOf(in, "", model))
		for _, r := range routers {
			switch rewrite := rewriteFinder(in, r)(name); {
			case baseOf(in, r) != base:
				errs = append(errs, field.Invalid(path, name, fmt.Sprintf("the route gives these requests to router %s, which serves %s", in.Routers[r].Key(), baseOf(in, r))))
			case rewrite == nil && served.aliases[name] != "":
				errs = append(errs, field.Invalid(path, name, "no rewrite gives these requests a model that the engines of router "+routerName(in, r)+" serve"))
			}
		}
	}
	clients := path.Child("workload", "clients")
	for i := range in.Workload.Clients {
		c := &in.Workload.Clients[i]
		check(c.Adapter, c.Model, buildHeaders(c.Headers), clients.Index(i).Child("model"))
	}
	for _, t := range Traces(&in.Workload, path.Child("workload")) {
		models := []string{t.Model}
		if t.Model == "" && served.several {
			models = served.names // of rows
		}
		for _, model := range models {
			check("", model, nil, t.Path.Child("model"))
		}
	}
	return errs
}

// routerName names a router in messages.
func routerName(in *v1alpha1.Scenario, router int) string {
	if len(in.Routers) == 0 {
		return "router"
	}
	return in.Routers[router].Key()
}
