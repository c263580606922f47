// SPDX-License-Identifier: Apache-2.0

package deployment

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// A routeManifest is a manifest that goes into the scenario's route letter for letter, with the InferencePools
// that it names.
type routeManifest struct {
	from, text string
	pools      []string
}

// httpRoute reads which InferencePools an HTTPRoute sends requests to.
func (r *reader) httpRoute(d *document) {
	var o struct {
		Spec struct {
			Rules []struct {
				BackendRefs []struct{ Kind, Name string }
			}
		}
	}
	if err := d.decode(&o); err != nil {
		r.fault(err)
		return
	}
	route := routeManifest{from: d.name(), text: strings.TrimSpace(string(d.text)) + "\n"}
	for _, rule := range o.Spec.Rules {
		for _, ref := range rule.BackendRefs {
			if ref.Kind == "InferencePool" && !slices.Contains(route.pools, ref.Name) {
				route.pools = append(route.pools, ref.Name)
			}
		}
	}
	if len(route.pools) > 0 {
		r.routes = append(r.routes, route)
	}
}

// modelRewrite reads which InferencePool an InferenceModelRewrite is of.
func (r *reader) modelRewrite(d *document) {
	var o struct {
		Spec struct {
			PoolRef struct{ Name string }
			Rules   []struct {
				Matches []struct{ Model struct{ Value string } }
			}
		}
	}
	if err := d.decode(&o); err != nil {
		r.fault(err)
		return
	}
	if r.options.Pool != "" && o.Spec.PoolRef.Name != r.options.Pool {
		return
	}
	r.rewrites = append(r.rewrites, routeManifest{d.name(), strings.TrimSpace(string(d.text)) + "\n", []string{o.Spec.PoolRef.Name}})
	for _, rule := range o.Spec.Rules {
		for _, match := range rule.Matches {
			r.note("%s is for requests that name %s: a client names it in model", d.name(), match.Model.Value)
		}
	}
}

// buildRoute makes the route of the scenario, where requests are divided among routers or models.
func (r *reader) buildRoute() {
	var route v1alpha1.Route
	if len(r.cluster.Routers) > 1 {
		route.HTTPRoute = r.manifests(r.routes)
		if route.HTTPRoute == nil {
			route.Backends = r.groupBackends()
		}
		r.checkRouters()
		r.writeSharedFiles()
	} else if r.options.Pool == "" {
		r.noteAlone()
	}
	route.ModelRewrites = r.manifests(r.rewrites)
	if route.HTTPRoute != nil || route.Backends != nil || route.ModelRewrites != nil {
		r.cluster.Route = &route
	}
}

// noteAlone says that the only router gets the requests of others.
func (r *reader) noteAlone() {
	for i := range r.routes {
		if route := &r.routes[i]; len(route.pools) > 1 {
			r.note("%s divides requests among the InferencePools %s, and the files have engines of one: it gets all requests", route.from, strings.Join(route.pools, ", "))
		}
	}
	for i := range r.members {
		r.note("InferencePool %s gets all requests: the files have no other service of the group %s", r.members[i].pool, r.members[i].group)
	}
}

// manifests are those of routers, in one text; nil where there are none.
func (r *reader) manifests(all []routeManifest) *v1alpha1.ManifestSource {
	var texts []string
	for i := range all {
		if slices.ContainsFunc(all[i].pools, r.hasRouter) {
			texts = append(texts, all[i].text)
			continue
		}
		r.note("%s is for InferencePools that have no engine in the files, and is not in the scenario", all[i].from)
	}
	if len(texts) == 0 {
		return nil
	}
	text := strings.Join(texts, "---\n")
	return &v1alpha1.ManifestSource{Inline: &text}
}

// hasRouter reports whether a router stands for an InferencePool. One without a name stands for any.
func (r *reader) hasRouter(pool string) bool {
	return slices.ContainsFunc(r.cluster.Routers, func(router Router) bool {
		return router.InferencePool == pool || router.InferencePool == ""
	})
}

// checkRouters refuses several routers that serve several models, or that no route leads to.
func (r *reader) checkRouters() {
	var models, alone []string
	for i := range r.cluster.Routers {
		router := &r.cluster.Routers[i]
		if !slices.Contains(models, router.Model) {
			models = append(models, router.Model)
		}
		if !r.isReached(router.InferencePool) {
			alone = append(alone, router.InferencePool)
		}
	}
	at := field.NewPath("InferencePool")
	switch {
	case len(models) > 1 && !slices.Contains(models, ""):
		r.fault(field.Forbidden(at, "the files have InferencePools of several models ("+poolNames(r.pools)+"): name the one to simulate with --pool"))
	case len(alone) > 0:
		r.fault(field.Forbidden(at, "the files have several InferencePools ("+poolNames(r.pools)+"), and no HTTPRoute that names "+strings.Join(alone, " or ")+": add it to the files, or name the one to simulate with --pool"))
	}
}

// writeSharedFiles leaves configurations to be written inline whose file is that of several routers: what the file
// says of how an EPP is started is not said of one of them.
func (r *reader) writeSharedFiles() {
	routersOf := map[string]int{}
	for i := range r.cluster.Routers {
		routersOf[r.cluster.Routers[i].Picker.File]++
	}
	for i := range r.cluster.Routers {
		if p := &r.cluster.Routers[i].Picker; routersOf[p.File] > 1 {
			p.File = ""
		}
	}
}

// isReached reports whether a route, or the group of a service, has an InferencePool.
func (r *reader) isReached(pool string) bool {
	return slices.ContainsFunc(r.routes, func(route routeManifest) bool { return slices.Contains(route.pools, pool) }) ||
		slices.ContainsFunc(r.members, func(m member) bool { return m.pool == pool })
}

// askedPool is a pool where no file has an engine: flags say what it is.
func (r *reader) askedPool() Pool {
	pool := Pool{From: "--model and --accelerator"}
	pool.Name, pool.Replicas = "pool", r.options.Replicas
	pool.Model, pool.Accelerator = r.options.Model, r.options.Accelerator
	for _, q := range []struct {
		flag    string
		unknown bool
	}{{"model", pool.Model == ""}, {"accelerator", pool.Accelerator == ""}, {"replicas", pool.Replicas == 0}} {
		if q.unknown {
			pool.Unknown = append(pool.Unknown, Question{q.flag, "the files have an EPP and no engine"})
		}
	}
	pool.Replicas = max(pool.Replicas, 1)
	return pool
}
