// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/spelling"
	"windtunnel.dev/windtunnel/pkg/workload"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// A Part is what one router of a scenario has to do with.
type Part struct {
	// Scenario is the scenario of the router alone, with the pools and the clients of
	// its model. Its trace is the whole one, whose rows may name models.
	Scenario *v1alpha1.Scenario
	// Model is the model that the router serves; empty where the scenario has one
	// router.
	Model string
	// Router is the index of the router in the scenario's routers.
	Router int

	firstPool, firstEndpoint int
	clients, traces          []int // indices in the whole workload
	served                   servedModels
}

// Parts divides a scenario by its routers, in the order of their pools, or says why it
// cannot be divided. A scenario with one router has one part, itself.
func Parts(in *v1alpha1.Scenario, path *field.Path) ([]Part, field.ErrorList) {
	if len(in.Routers) == 0 {
		return []Part{{Scenario: in, served: servedBy(in)}}, nil
	}
	errs := append(validateRouters(in, path), validatePoolModels(in, path.Child("pools"))...)
	if len(errs) > 0 {
		return nil, errs
	}
	var parts []Part
	endpoints := 0
	for i := range in.Pools {
		if model := in.Pools[i].Model; len(parts) == 0 || parts[len(parts)-1].Model != model {
			parts = append(parts, newPart(in, model, i, endpoints))
		}
		last := &parts[len(parts)-1]
		last.Scenario.Pools = in.Pools[last.firstPool : i+1]
		endpoints += places(in, &in.Pools[i])
	}
	return parts, nil
}

// newPart is the part of a model whose first pool and endpoint have these numbers.
func newPart(in *v1alpha1.Scenario, model string, firstPool, firstEndpoint int) Part {
	alone := *in
	p := Part{Scenario: &alone, Model: model, firstPool: firstPool, firstEndpoint: firstEndpoint, served: servedBy(in)}
	p.Router = slices.IndexFunc(in.Routers, func(r v1alpha1.ModelRouter) bool { return r.Model == model })
	alone.Router, alone.Routers = in.Routers[p.Router].Router, nil
	alone.Workload.Clients = nil
	for i := range in.Workload.Clients {
		if in.Workload.Clients[i].Model == model {
			alone.Workload.Clients = append(alone.Workload.Clients, in.Workload.Clients[i])
			p.clients = append(p.clients, i)
		}
	}
	another := func(t *v1alpha1.Trace) bool { return t.Model != "" && t.Model != model }
	if t := in.Workload.Trace; t != nil && another(t) {
		alone.Workload.Trace = nil
	}
	alone.Workload.Traces = nil
	for i := range in.Workload.Traces {
		if !another(&in.Workload.Traces[i].Trace) {
			alone.Workload.Traces = append(alone.Workload.Traces, in.Workload.Traces[i])
			p.traces = append(p.traces, i)
		}
	}
	return p
}

// validateRouters says which routers have no pools.
func validateRouters(in *v1alpha1.Scenario, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i := range in.Routers {
		r, at := &in.Routers[i], path.Child("routers").Index(i)
		if !slices.ContainsFunc(in.Pools, func(p v1alpha1.Pool) bool { return p.Model == r.Model }) {
			errs = append(errs, field.Invalid(at.Child("model"), r.Model,
				"no pool serves this model; the pools serve "+spelling.Quote(poolModels(in))))
		}
	}
	return errs
}

// validatePoolModels says which pools have no router, and which are apart from others of
// their model.
func validatePoolModels(in *v1alpha1.Scenario, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i := range in.Pools {
		model, at := in.Pools[i].Model, path.Index(i).Child("model")
		earlier := slices.IndexFunc(in.Pools[:i], func(p v1alpha1.Pool) bool { return p.Model == model })
		switch {
		case !slices.ContainsFunc(in.Routers, func(r v1alpha1.ModelRouter) bool { return r.Model == model }):
			errs = append(errs, field.NotSupported(at, model, routerModels(in)))
		case earlier >= 0 && in.Pools[i-1].Model != model:
			errs = append(errs, field.Invalid(at, model, fmt.Sprintf(
				"pools of one model must be next to each other: move this pool after pool %s", in.Pools[earlier].Name)))
		}
	}
	return errs
}

// routerModels are the models of the scenario's routers, in their order.
func routerModels(in *v1alpha1.Scenario) []string {
	var models []string
	for i := range in.Routers {
		models = append(models, in.Routers[i].Model)
	}
	return models
}

// poolModels are the models of the scenario's pools, each once, in the order of the pools.
func poolModels(in *v1alpha1.Scenario) []string {
	var models []string
	for i := range in.Pools {
		if !slices.Contains(models, in.Pools[i].Model) {
			models = append(models, in.Pools[i].Model)
		}
	}
	return models
}

// Relocate has errors about the part's scenario name the fields of the whole one, where
// path is the path of both.
func (p *Part) Relocate(errs field.ErrorList, path *field.Path) field.ErrorList {
	for _, e := range errs {
		e.Field = p.Written(e.Field, path)
	}
	return errs
}

// Written is a text that begins with the path of a field of the part's scenario, with the
// path of that field in the whole one.
func (p *Part) Written(text string, path *field.Path) string {
	if p.Model == "" {
		return text
	}
	moved := func(from, to *field.Path) (string, bool) {
		rest, is := strings.CutPrefix(text, from.String())
		return to.String() + rest, is && (rest == "" || strings.ContainsRune(".[: ", rune(rest[0])))
	}
	if written, is := moved(path.Child("router"), path.Child("routers").Index(p.Router)); is {
		return written
	}
	for i := range p.Scenario.Pools {
		if written, is := moved(path.Child("pools").Index(i), path.Child("pools").Index(p.firstPool+i)); is {
			return written
		}
	}
	for _, of := range []struct {
		kind    string
		indices []int
	}{{"clients", p.clients}, {"traces", p.traces}} {
		sources := path.Child("workload", of.kind)
		for i, whole := range of.indices {
			if written, is := moved(sources.Index(i), sources.Index(whole)); is {
				return written
			}
		}
	}
	return text
}

// servedModels are the base models of a scenario.
type servedModels struct {
	names []string
	// several says that there are several, so that requests have to name one.
	several bool
}

func servedBy(in *v1alpha1.Scenario) servedModels {
	return servedModels{names: poolModels(in), several: len(in.Routers) > 0}
}

// label has the requests of clients name models where there are several.
func (m servedModels) label(clients []workload.Client) {
	for i := range clients {
		if !m.several {
			clients[i].Model = ""
		}
	}
}

// ofRows returns the models of the requests of a trace, by those that rows name. The
// model that the trace names, if any, is that of all rows.
func (m servedModels) ofRows(all string) func(string) string {
	return func(row string) string {
		if !m.several {
			return ""
		}
		return cmp.Or(all, row)
	}
}

// validateRows says which of the models that rows name is not served, and whether rows
// lack a model, unless the trace names the model of all rows. Nothing is known of a trace
// that only pods can read.
func (m servedModels) validateRows(in Trace, trace *trace.Trace, named []string) field.ErrorList {
	if in.Model != "" || trace.Requests() == 0 {
		return nil
	}
	var errs field.ErrorList
	path := in.Path.Child("model")
	for _, name := range named {
		if !slices.Contains(m.names, name) {
			errs = append(errs, field.Invalid(path, name, fmt.Sprintf(
				"rows of the trace name this model, which no pool serves; the pools serve %s: name one here to replay all rows as requests for it", spelling.Quote(m.names))))
		}
	}
	if m.several && !trace.NamesModels() {
		errs = append(errs, field.Required(path, "rows of the trace name no model: name one of the models that are served: "+spelling.Quote(m.names)))
	}
	return errs
}

// routerOf returns the index of the part that routes requests, by the number of their
// model in a workload's labels.
func routerOf(parts []Part, models []string) []int {
	indices := []int{0} // of requests without a model, of which there are none
	for _, model := range models {
		indices = append(indices, slices.IndexFunc(parts, func(p Part) bool { return p.Model == model }))
	}
	return indices
}

// validateModels says which clients and traces ask for a model that no pool
// serves, or for none of several.
func validateModels(in *v1alpha1.Scenario, path *field.Path) field.ErrorList {
	served := servedBy(in)
	check := func(model string, path *field.Path) field.ErrorList {
		switch {
		case model == "" && served.several:
			return field.ErrorList{field.Required(path, "name one of the models that are served: "+spelling.Quote(served.names))}
		case model != "" && !slices.Contains(served.names, model):
			return field.ErrorList{field.Invalid(path, model, "no pool serves this model; the pools serve "+spelling.Quote(served.names))}
		}
		return nil
	}
	var errs field.ErrorList
	for i := range in.Workload.Clients {
		errs = append(errs, check(in.Workload.Clients[i].Model, path.Child("workload", "clients").Index(i).Child("model"))...)
	}
	for _, t := range Traces(&in.Workload, path.Child("workload")) {
		if t.Model != "" {
			errs = append(errs, check(t.Model, t.Path.Child("model"))...)
		}
	}
	return errs
}

// Of returns the routing of a part; nil where the whole one is.
func (r *Routing) Of(p *Part) *Routing {
	if r == nil || p.Model == "" {
		return r
	}
	return r.models[p.Router]
}

// check returns what the part's router knows of its endpoints, and says what keeps it
// from choosing among them. pools are those of the whole scenario.
func (p *Part) check(router *Routing, pools []simulator.Pool, traces trace.Set, seed int64, path *field.Path) (config.Cluster, field.ErrorList) {
	in := p.Scenario
	errs := validateRoles(in.Pools, path.Child("pools"))
	cluster, es := Cluster(in, path)
	errs = append(errs, es...)
	if router != nil && router.predicts() {
		cluster.Latencies = buildLatencyModels(in.Pools, pools[p.firstPool:p.firstPool+len(in.Pools)])
		cluster.Prediction.AnswerTokens = meanAnswer(p, traces, seed)
	}
	if router != nil {
		errs = append(errs, router.check(in, &cluster, path)...)
	}
	return cluster, append(errs, validateAdapters(in, path)...)
}

// claim says of the part's pools that router number i reads their metrics, and when.
func (p *Part) claim(pools []simulator.Pool, i int) {
	for j := range p.Scenario.Pools {
		pool := &pools[p.firstPool+j]
		pool.Router, pool.ScrapeInterval = i, p.Scenario.Router.MetricsRefreshInterval.Duration()
		pool.Live = p.Scenario.Router.Signals == v1alpha1.OracleSignals
	}
}
