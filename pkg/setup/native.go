// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/native"
)

// An explainedRouter is a router of Windtunnel's own that explains its decisions as
// EPPs do.
type explainedRouter struct {
	*native.Router
	policy string
}

// Explain hides that of the router.
func (r explainedRouter) Explain(tell func(*scheduler.Explanation)) {
	if tell == nil {
		r.Router.Explain(nil)
		return
	}
	r.Router.Explain(func(x *native.Explanation) { tell(explanationOf(x, r.policy)) })
}

// explainedRouters are several of them.
type explainedRouters struct {
	policy.Router
	routers []*native.Router
	policy  string
}

// Force implements [policy.Forcible]: each of them asks for its own requests.
func (r explainedRouters) Force(force policy.Force) {
	for _, router := range r.routers {
		router.Force(force)
	}
}

func (r explainedRouters) Explain(tell func(*scheduler.Explanation)) {
	for i, router := range r.routers {
		if tell == nil {
			router.Explain(nil)
			continue
		}
		explainedRouter{router, r.policy}.Explain(func(x *scheduler.Explanation) {
			x.EPP = i
			tell(x)
		})
	}
}

// Weights implements [policy.Weighted]: those of each of them.
func (r explainedRouters) Weights() []policy.ScorerWeight { return r.routers[0].Weights() }

// SetWeight implements [policy.Weighted].
func (r explainedRouters) SetWeight(i int, weight float64) {
	for _, router := range r.routers {
		router.SetWeight(i, weight)
	}
}

// explainedModels are the routers of several models.
type explainedModels struct {
	policy.Router
	parts  []Part
	models []policy.ModelPolicies
}

// Force implements [policy.Forcible]: each router asks for the requests of its model, and
// numbers the endpoints of its model.
func (r explainedModels) Force(force policy.Force) {
	for i := range r.models {
		r.models[i].Routing.Router.(policy.Forcible).Force(force)
	}
}

func (r explainedModels) Explain(tell func(*scheduler.Explanation)) {
	for i := range r.models {
		router := r.models[i].Routing.Router.(explaining)
		if tell == nil {
			router.Explain(nil)
			continue
		}
		router.Explain(func(x *scheduler.Explanation) {
			x.Model, x.Router = r.parts[i].Model, i
			tell(x)
		})
	}
}

// explanationOf has a decision of a policy look like one profile of an EPP.
func explanationOf(x *native.Explanation, policyName string) *scheduler.Explanation {
	out := &scheduler.Explanation{
		AtSeconds: x.View.Now.Seconds(),
		Request:   explainedRequest(x.Request),
		Endpoints: endpointSignals(x.View),
	}
	if x.InFlight != nil {
		counted := scheduler.InFlightSignal{PluginName: scheduler.PluginName{Name: "in flight"}, Freshness: "the requests that the router itself sent there, without delay"}
		for _, n := range x.InFlight {
			counted.Requests = append(counted.Requests, int64(n))
		}
		out.InFlight = []scheduler.InFlightSignal{counted}
	}
	for _, s := range x.Signals {
		out.Prefixes = append(out.Prefixes, scheduler.PrefixSignal{
			PluginName: scheduler.PluginName{Name: s.Name}, Freshness: s.Freshness,
			BlockTokens: s.BlockTokens, TotalBlocks: s.TotalBlocks, Blocks: s.Blocks,
		})
	}
	if x.Err != nil {
		out.Error = x.Err.Error()
		return out
	}
	out.Endpoint = &x.Endpoint
	out.Profiles = []scheduler.ProfileRun{policyRun(x, policyName)}
	return out
}

// explainedRequest is what explanations have of a request.
func explainedRequest(q *policy.Request) scheduler.ExplainedRequest {
	return scheduler.ExplainedRequest{
		ID: q.ID, ArrivalSeconds: q.Arrival.Seconds(), PromptTokens: q.Tokens,
		Tenant: q.Tenant, Class: q.Class, Priority: q.Priority, Session: q.Session, Adapter: q.Adapter,
	}
}

func endpointSignals(view *policy.View) []scheduler.EndpointSignals {
	all := make([]scheduler.EndpointSignals, len(view.Scrapes))
	for e := range view.Scrapes {
		s := &view.Scrapes[e]
		age := view.Now.Sub(s.At).Seconds()
		all[e] = scheduler.EndpointSignals{
			Down: view.Down != nil && view.Down[e], ScrapeAgeSeconds: &age,
			Waiting: s.Waiting, Running: s.Running, KVUsage: scheduler.Number(s.KVUsage),
			Adapters: scheduler.NewAdapterSignal(view.Adapters, e),
		}
	}
	return all
}

func policyRun(x *native.Explanation, policyName string) scheduler.ProfileRun {
	run := scheduler.ProfileRun{
		Profile: policyName, Endpoints: x.Endpoints, Candidates: x.Candidates, Scores: numberList(x.Scores),
		Picker: scheduler.PluginName{Name: policyName}, Chosen: &x.Endpoint, Tied: x.Tied, ByChance: x.ByChance,
	}
	for _, f := range x.Filters {
		run.Filters = append(run.Filters, scheduler.FilterRun{PluginName: scheduler.PluginName{Name: f.Name}, Dropped: f.Dropped})
	}
	for _, s := range x.Scorers {
		run.Scorers = append(run.Scorers, scheduler.ScorerRun{
			PluginName: scheduler.PluginName{Name: s.Name}, Weight: scheduler.Number(s.Weight),
			Raw: numberList(s.Raw), Clamped: numberList(s.Clamped), Weighted: numberList(s.Weighted),
		})
	}
	return run
}

func numberList(all []float64) []scheduler.Number {
	var list []scheduler.Number
	for _, x := range all {
		list = append(list, scheduler.Number(x))
	}
	return list
}
