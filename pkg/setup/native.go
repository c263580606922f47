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
	native.Policy
	policy string
	pool   *scheduler.ExplanationPool
}

// Explain hides that of the router.
func (r explainedRouter) Explain(tell func(*scheduler.Explanation)) {
	if tell == nil {
		r.Policy.Explain(nil)
		return
	}
	r.Policy.Explain(func(x *native.Explanation) { tell(explanationOf(x, r.policy, r.pool)) })
}

// explainedRouters are several of them.
type explainedRouters struct {
	policy.Router
	routers []native.Policy
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
		explainedRouter{router, r.policy, &scheduler.ExplanationPool{}}.Explain(func(x *scheduler.Explanation) {
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

// Idle implements [policy.Idler].
func (r explainedRouters) Idle() []string { return policy.IdleInAll(r.routers) }

// routersSideBySide are the routers of a scenario with several.
type routersSideBySide struct {
	policy.Router
	parts  []Part
	models []policy.RouterPolicies
}

// Force implements [policy.Forcible]: each router asks for its own requests, and
// numbers its own endpoints.
func (r routersSideBySide) Force(force policy.Force) {
	for i := range r.models {
		r.models[i].Routing.Router.(policy.Forcible).Force(force)
	}
}

// Idle implements [policy.Idler]. The names are those of [PartOfRouter].
func (r routersSideBySide) Idle() []string {
	var idle []string
	for i := range r.models {
		if router, ok := r.models[i].Routing.Router.(policy.Idler); ok {
			for _, name := range router.Idle() {
				idle = append(idle, PartOfRouter(r.parts[i].Key, name))
			}
		}
	}
	return idle
}

// FullIndexes implements [policy.PrefixIndexer].
func (r routersSideBySide) FullIndexes() []int {
	var all []int
	for i := range r.models {
		full := make([]int, r.models[i].Endpoints)
		if router, ok := r.models[i].Routing.Router.(policy.PrefixIndexer); ok {
			copy(full, router.FullIndexes())
		}
		all = append(all, full...)
	}
	return all
}

// PartOfRouter names a part of a router, where there are several.
func PartOfRouter(router, name string) string { return router + ": " + name }

func (r routersSideBySide) Explain(tell func(*scheduler.Explanation)) {
	for i := range r.models {
		router := r.models[i].Routing.Router.(explaining)
		if tell == nil {
			router.Explain(nil)
			continue
		}
		router.Explain(func(x *scheduler.Explanation) {
			x.Model, x.Router = r.parts[i].Key, i
			tell(x)
		})
	}
}

// Answer has the answers of the policies before each router told; nil ends that.
func (r routersSideBySide) Answer(tell func(scheduler.GatewayAnswer)) {
	for i := range r.models {
		if e, ok := r.models[i].Routing.Router.(*entrance); ok {
			e.Answer(tell)
		}
	}
}

// explanationOf has a decision of a policy look like one profile of an EPP, or two where it hands
// a prompt over.
func explanationOf(x *native.Explanation, policyName string, pool *scheduler.ExplanationPool) *scheduler.Explanation {
	out := pool.Get()
	out.AtSeconds, out.Request = x.View.Now.Seconds(), explainedRequest(x.Request)
	out.Endpoints = out.EndpointList(len(x.View.Scrapes))
	for e := range x.View.Scrapes {
		explainEndpoint(out, x.View, e)
	}
	explainSignals(x, "", out)
	if x.Err != nil {
		out.Error = x.Err.Error()
		return out
	}
	out.Endpoint = out.Int(x.Endpoint)
	from := x.Prefill
	if from == nil {
		out.Profiles = append(out.Profiles, policyRun(x, policyName, out))
		return out
	}
	if from.Err == nil {
		explainSignals(from, "prefill ", out)
		if from.Endpoint != x.Endpoint {
			out.Prefill = out.Int(from.Endpoint)
		}
		out.Profiles = append(out.Profiles, policyRun(from, policyName+" prefill", out))
	}
	out.Profiles = append(out.Profiles, policyRun(x, policyName+" decode", out))
	return out
}

// explainSignals writes what the router of a stage knew into an explanation.
func explainSignals(x *native.Explanation, stage string, out *scheduler.Explanation) {
	if x.InFlight != nil {
		counted := scheduler.InFlightSignal{
			PluginName: scheduler.PluginName{Name: stage + "in flight"}, Freshness: "the requests that the router itself sent there, without delay",
			Requests: out.Int64List(len(x.InFlight)),
		}
		for e, n := range x.InFlight {
			counted.Requests[e] = int64(n)
		}
		out.InFlight = append(out.InFlight, counted)
	}
	for _, s := range x.Signals {
		out.Prefixes = append(out.Prefixes, scheduler.PrefixSignal{
			PluginName: scheduler.PluginName{Name: stage + s.Name}, Freshness: s.Freshness,
			BlockTokens: s.BlockTokens, TotalBlocks: s.TotalBlocks, Blocks: out.Ints(s.Blocks),
		})
	}
}

// explainedRequest is what explanations have of a request.
func explainedRequest(q *policy.Request) scheduler.ExplainedRequest {
	return scheduler.ExplainedRequest{
		ID: q.ID, ArrivalSeconds: q.Arrival.Seconds(), PromptTokens: q.Tokens,
		Tenant: q.Tenant, Class: q.Class, Priority: q.Priority, Session: q.Session, Adapter: q.Adapter,
	}
}

func endpointSignals(view *policy.View) []scheduler.EndpointSignals {
	x := (&scheduler.ExplanationPool{}).Get()
	x.Endpoints = x.EndpointList(len(view.Scrapes))
	for e := range view.Scrapes {
		explainEndpoint(x, view, e)
	}
	return x.Endpoints
}

// explainEndpoint writes what the view has of an endpoint into an explanation.
func explainEndpoint(x *scheduler.Explanation, view *policy.View, e int) {
	s := &view.Scrapes[e]
	x.Endpoints[e] = scheduler.EndpointSignals{
		Down: view.Down != nil && view.Down[e], ScrapeAgeSeconds: x.Float(view.Now.Sub(s.At).Seconds()),
		Waiting: s.Waiting, Running: s.Running, KVUsage: scheduler.Number(s.KVUsage),
		Adapters: scheduler.NewAdapterSignal(view.Adapters, e),
	}
}

func policyRun(x *native.Explanation, policyName string, out *scheduler.Explanation) scheduler.ProfileRun {
	run := scheduler.ProfileRun{
		Profile: policyName, Endpoints: out.Ints(x.Endpoints), Candidates: out.Ints(x.Candidates), Scores: out.Numbers(x.Scores),
		Picker: scheduler.PluginName{Name: policyName}, Chosen: out.Int(x.Endpoint), Tied: x.Tied, ByChance: x.ByChance,
		Filters: out.FilterList(len(x.Filters)), Scorers: out.ScorerList(len(x.Scorers)),
	}
	for i, f := range x.Filters {
		run.Filters[i] = scheduler.FilterRun{PluginName: scheduler.PluginName{Name: f.Name}, Dropped: out.Ints(f.Dropped)}
	}
	for i, s := range x.Scorers {
		run.Scorers[i] = scheduler.ScorerRun{
			PluginName: scheduler.PluginName{Name: s.Name}, Weight: scheduler.Number(s.Weight),
			Raw: out.Numbers(s.Raw), Clamped: out.Numbers(s.Clamped), Weighted: out.Numbers(s.Weighted),
		}
	}
	return run
}
