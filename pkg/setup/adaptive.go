// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/adaptive"
	"windtunnel.dev/windtunnel/pkg/policy/epp"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/lint"
	"windtunnel.dev/windtunnel/pkg/policy/native"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// loadAdaptive reads what changes the weights of a scenario's router; nil where nothing
// does.
func loadAdaptive(in *v1alpha1.Router, path *field.Path) (*adaptive.Config, field.ErrorList) {
	if in.Adaptive == nil {
		return nil, nil
	}
	c, errs := adaptive.Load(adaptive.Spec{Law: in.Adaptive.Policy, Parameters: policyParameters(in.Adaptive.Parameters)}, path)
	if len(errs) == 0 && c.LearnsFromRejections() && in.Policies != nil && in.Admission == nil && in.Policies.Bundle == nil {
		errs = append(errs, field.Invalid(path.Child("policy"), in.Adaptive.Policy,
			"learns from rejections, and a native policy rejects no request: set router.admission, or take the law exp3, which learns from goodput"))
	}
	return c, errs
}

// adapt puts what changes the weights before the policies of a part, where something does.
func (g *gatewayPolicies) adapt(p *Part, to *policy.Policies, routing *Routing, hot hotPrefixes, seed int64, path *field.Path) field.ErrorList {
	if g.adaptive == nil {
		return nil
	}
	at := path.Child("router", "adaptive")
	router, ok := to.Routing.Router.(policy.Weighted)
	if !ok {
		panic("setup: the router has no weights that may change")
	}
	of := adaptive.Router{Weighted: router, Role: routing.role, Router: p.Key, Model: p.Model, Admission: to.Admission}
	if DividesRequests(hot.scenario.Route) {
		for i := range p.Scenario.Pools {
			of.Pools = append(of.Pools, p.Scenario.Pools[i].Name)
		}
	}
	if g.adaptive.CapsByWorkload() {
		var fault string
		if of.Shared, fault = hot.share(p); fault != "" {
			return field.ErrorList{field.Invalid(at.Child("parameters").Key("cap"), "workload", fault)}
		}
	}
	adapter, errs := g.adaptive.New(of, seed)
	if len(errs) > 0 {
		return errs
	}
	to.Admission, to.Adaptations = adapter, []*policy.Adaptation{adapter.Record()}
	return nil
}

// role is what a scorer of the router looks at.
func (r *Routing) role(w policy.ScorerWeight) adaptive.Role {
	switch {
	case r.EPPConfig != nil && lint.LooksAtPrefixes(w.Type), r.EPPConfig == nil && native.SubjectOf(w.Type) == native.PrefixSubject:
		return adaptive.PrefixRole
	case r.EPPConfig != nil && epp.CategoryOf(w.Type) == config.LoadCategory, r.EPPConfig == nil && native.SubjectOf(w.Type) == native.LoadSubject:
		return adaptive.LoadRole
	}
	return adaptive.OtherRole
}

// hotPrefixes finds what requests of a workload share.
type hotPrefixes struct {
	scenario *v1alpha1.Scenario
	config   *simulator.Config
	traces   trace.Set
	seed     int64
}

// share is the greatest share of the blocks of a part's prompts that lie in a prefix which
// overloads a replica; 0 without such a prefix. fault says why that is not known.
func (h *hotPrefixes) share(p *Part) (m float64, fault string) {
	in := p.Scenario
	for i := range in.Pools {
		if Prefills(&in.Pools[i]) {
			return 0, "1/m is of replicas that compute a whole request, and pools have roles: state two whole numbers"
		}
	}
	if DividesRequests(h.scenario.Route) {
		return 0, "1/m follows from the rate of arrivals, and a route divides requests among routers: state two whole numbers"
	}
	if h.config.Listener != nil {
		return 0, "1/m follows from the rate of arrivals, and in this workload requests wait for answers: state two whole numbers"
	}
	source, errs := buildSource(&h.scenario.Workload, servedBy(h.scenario), h.traces, h.seed, nil)
	if len(errs) > 0 {
		return 0, errs.ToAggregate().Error()
	}
	pools := h.config.Pools[p.firstPool : p.firstPool+len(in.Pools)]
	if hot, ok := FindHotPrefix(source, p.Model, h.config.Horizon, pools); ok && hot.Overloads {
		return hot.Most, ""
	}
	return 0, ""
}
