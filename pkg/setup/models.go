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
	// Scenario is the scenario of the router alone, with its pools and the clients that may
	// reach it. Its trace is the whole one, whose rows may name models.
	Scenario *v1alpha1.Scenario
	// Key names the router; empty where the scenario has one router.
	Key string
	// Model is the model that the part's requests name; empty where they name none.
	Model string
	// Router is the index of the router in the scenario's routers.
	Router int

	firstPool, firstEndpoint int
	clients, traces          []int // indices in the whole workload
	served                   servedModels
	rewriteOf                func(model string) *v1alpha1.ModelRewrite // of requests that name a model; nil without one
}

// Parts divides a scenario by its routers, in the order of their pools, or says why it
// cannot be divided. A scenario with one router has one part, itself.
func Parts(in *v1alpha1.Scenario, path *field.Path) ([]Part, field.ErrorList) {
	if len(in.Routers) == 0 {
		return []Part{{Scenario: in, served: servedBy(in), rewriteOf: rewriteFinder(in, 0)}}, nil
	}
	owners, errs := poolOwners(in, path)
	if len(errs) > 0 {
		return nil, errs
	}
	var parts []Part
	endpoints := 0
	for i := range in.Pools {
		if len(parts) == 0 || parts[len(parts)-1].Router != owners[i] {
			parts = append(parts, newPart(in, owners[i], i, endpoints))
		}
		last := &parts[len(parts)-1]
		last.Scenario.Pools = in.Pools[last.firstPool : i+1]
		endpoints += places(in, &in.Pools[i])
	}
	return parts, nil
}

// newPart is the part of a router whose first pool and endpoint have these numbers.
func newPart(in *v1alpha1.Scenario, router, firstPool, firstEndpoint int) Part {
	alone, r := *in, &in.Routers[router]
	p := Part{Scenario: &alone, Key: r.Key(), Router: router, firstPool: firstPool, firstEndpoint: firstEndpoint, served: servedBy(in), rewriteOf: rewriteFinder(in, router)}
	if p.served.several {
		p.Model = r.Model
	}
	alone.Router, alone.Routers, alone.Route = r.Router, nil, nil
	alone.Workload.Clients = nil
	another := func(model string) bool { return model != "" && p.served.base(model) != r.Model }
	for i := range in.Workload.Clients {
		c := &in.Workload.Clients[i]
		if !another(c.Model) && (in.Route == nil || slices.Contains(reached(in, p.served, nameOf(in, c.Adapter, c.Model), buildHeaders(c.Headers)), router)) {
			alone.Workload.Clients = append(alone.Workload.Clients, in.Workload.Clients[i])
			p.clients = append(p.clients, i)
		}
	}
	if t := in.Workload.Trace; t != nil && another(t.Model) {
		alone.Workload.Trace = nil
	}
	alone.Workload.Traces = nil
	for i := range in.Workload.Traces {
		if !another(in.Workload.Traces[i].Model) {
			alone.Workload.Traces = append(alone.Workload.Traces, in.Workload.Traces[i])
			p.traces = append(p.traces, i)
		}
	}
	return p
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
	if p.Key == "" {
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
	// aliases are the names of models that rewrites know, with the base model that a name
	// stands for: requests for one are as those for an adapter.
	aliases map[string]string
}

func servedBy(in *v1alpha1.Scenario) servedModels {
	names := poolModels(in)
	return servedModels{names: names, several: len(in.Routers) > 0 && len(names) > 1, aliases: aliasesOf(in)}
}

// SeveralModels reports whether a scenario serves several base models, so that requests name one.
func SeveralModels(in *v1alpha1.Scenario) bool { return servedBy(in).several }

// base is the base model of requests that name a model.
func (m servedModels) base(model string) string { return cmp.Or(m.aliases[model], model) }

// label has the requests of clients name models where there are several.
func (m servedModels) label(clients []workload.Client) {
	for i := range clients {
		c := &clients[i]
		if base, is := m.aliases[c.Model]; is {
			if c.Adapter == "" && c.Copies != nil {
				named := *c.Copies
				named.SharedAdapter, c.Copies = true, &named // copies name the same model
			}
			c.Adapter, c.Model = cmp.Or(c.Adapter, c.Model), base
		}
		if !m.several {
			c.Model = ""
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
// model in a workload's labels: the first one of several.
func routerOf(parts []Part, models []string) []int {
	indices := []int{0} // of requests without a model
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
		case model != "" && !slices.Contains(served.names, served.base(model)):
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
	if r == nil || p.Key == "" {
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
	return cluster, append(errs, p.validateAdapters(path)...)
}

// claim says of the part's pools that router number i reads their metrics, and when.
func (p *Part) claim(pools []simulator.Pool, i int) {
	for j := range p.Scenario.Pools {
		pool := &pools[p.firstPool+j]
		pool.Router, pool.ScrapeInterval = i, p.Scenario.Router.MetricsRefreshInterval.Duration()
		pool.Live = p.Scenario.Router.Signals == v1alpha1.OracleSignals
	}
}
