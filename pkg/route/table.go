// SPDX-License-Identifier: Apache-2.0

package route

import (
	"net/textproto"

	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// A Rule gives the requests that match it to routers. Empty conditions match all requests.
type Rule struct {
	// Model is the name that requests give their model: that of the adapter, or else of the
	// base model.
	Model   string
	Headers map[string]string
	Routers []Share
}

// Matches reports whether a request with a name of a model and headers matches the rule.
// Names of headers are compared without their case, values as they are.
func (r *Rule) Matches(model string, headers map[string]string) bool {
	if r.Model != "" && r.Model != model {
		return false
	}
	for name, value := range r.Headers {
		if has, ok := header(headers, name); !ok || has != value {
			return false
		}
	}
	return true
}

func header(headers map[string]string, name string) (value string, ok bool) {
	for has, value := range headers {
		if textproto.CanonicalMIMEHeaderKey(has) == textproto.CanonicalMIMEHeaderKey(name) {
			return value, true
		}
	}
	return "", false
}

// A Rewrite gives requests of a router that name a model other models.
type Rewrite struct {
	// Model is the name; empty for any.
	Model string
	// Models are the choices: the numbers of adapters from 1, and 0 for the base model.
	Models []Share
}

// FindRewrite returns the index of the rewrite of requests that name a model; -1 without one.
// A rewrite with the name goes before those for any name, and otherwise the first one counts.
func FindRewrite(rewrites []Rewrite, model string) int {
	general := -1
	for i := range rewrites {
		switch {
		case rewrites[i].Model == model:
			return i
		case rewrites[i].Model == "" && general < 0:
			general = i
		}
	}
	return general
}

// Config is what a Table is made of.
type Config struct {
	// Rules are asked in order.
	Rules []Rule
	// Only is the router of requests that match no rule, by the number of their model.
	Only []int
	// Rewrites are those of each router.
	Rewrites [][]Rewrite
	// Models are the names of models by their number, and Adapters those of adapters by
	// theirs less 1, with those that only rewrites give.
	Models, Adapters []string
	// Headers are the sets of headers of requests by their number less 1.
	Headers []map[string]string
}

// A Table finds the router and the model of requests by their labels, and by two draws for
// each request: one of the gateway, and one of the EPP. A draw depends on the seed and on
// the place of the request in what its client sends, and so is the same whatever the weights
// and the policies are; a retry has draws of its own.
type Table struct {
	routers, models uint64 // the hashes of the draws' streams
	names           []string
	only            []int
	rules           []rule
	rewrites        [][]rewrite
}

// rule is a Rule by numbers: whether it matches requests by their headers, and by the name of
// their adapter or of their model.
type rule struct {
	headers, adapters, models []bool
	routers                   []Share
}

type rewrite struct {
	adapters, models []bool
	to               []Share
}

// New returns a table under a seed.
func New(c *Config, seed int64) *Table {
	t := &Table{
		routers: stats.Hash64(uint64(seed), stats.HashString("route")),
		models:  stats.Hash64(uint64(seed), stats.HashString("rewrite")),
		names:   c.Adapters,
		only:    c.Only,
	}
	adapters := append([]string{""}, c.Adapters...)
	for i := range c.Rules {
		r := &c.Rules[i]
		named := func(model string) bool { return r.Model == "" || r.Model == model }
		t.rules = append(t.rules, rule{matches(append([]map[string]string{nil}, c.Headers...), func(h map[string]string) bool { return r.Matches(r.Model, h) }),
			matches(adapters, named), matches(c.Models, named), r.Routers})
	}
	for _, all := range c.Rewrites {
		var of []rewrite
		for i := range all {
			found := func(model string) bool { return FindRewrite(all, model) == i }
			of = append(of, rewrite{matches(adapters, found), matches(c.Models, found), all[i].Models})
		}
		t.rewrites = append(t.rewrites, of)
	}
	return t
}

func matches[T any](all []T, is func(T) bool) []bool {
	var out []bool
	for _, one := range all {
		out = append(out, is(one))
	}
	return out
}

// Of returns the index of the router of a request, and the number of the adapter that serves
// it there; 0 is the base model.
func (t *Table) Of(w *workload.Request) (router, adapter int) {
	router, adapter = t.only[w.Model], w.Adapter
	for i := range t.rules {
		if r := &t.rules[i]; r.headers[w.Headers] && named(w, r.adapters, r.models) {
			router = pick(r.routers, draw(t.routers, w))
			break
		}
	}
	for i := range t.rewrites[router] {
		if r := &t.rewrites[router][i]; named(w, r.adapters, r.models) {
			return router, pick(r.to, draw(t.models, w))
		}
	}
	return router, adapter
}

// Adapters are the names of the adapters by their number less 1.
func (t *Table) Adapters() []string { return t.names }

// named reports what is true of the name that a request gives its model.
func named(w *workload.Request, adapters, models []bool) bool {
	if w.Adapter > 0 {
		return adapters[w.Adapter]
	}
	return models[w.Model]
}

// draw is that of a request in a stream.
func draw(stream uint64, w *workload.Request) uint64 {
	of := &w.Origin
	return stats.Hash64(stream, uint64(w.Client), uint64(of.Session)<<32|uint64(uint32(of.Turn)), uint64(of.Step), uint64(w.Attempt))
}
