// SPDX-License-Identifier: Apache-2.0

package compile

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/setup"
	"windtunnel.dev/windtunnel/pkg/spelling"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// measured is what is simulated, as far as metrics go by it.
type measured struct {
	*v1alpha1.Scenario
	// under begins what is wrong: it names the workload, if there is one.
	under                           string
	pools, models, tenants, classes []string
	// moreNames says that the rows of a trace may name more tenants and classes, which are
	// not known.
	moreNames bool
}

// measured returns what is simulated of a scenario under a workload, or as a whole.
func (c *compiler) measured(in *v1alpha1.Scenario, workload string) *measured {
	m := &measured{Scenario: in}
	if workload != "" {
		m.under = fmt.Sprintf("under workload %q: ", workload)
	}
	for i := range in.Pools {
		m.pools = append(m.pools, in.Pools[i].Name)
	}
	for i := range in.Routers {
		if setup.SeveralModels(in) && !slices.Contains(m.models, in.Routers[i].Model) {
			m.models = append(m.models, in.Routers[i].Model)
		}
	}
	labels, known := c.labels[workload]
	if known {
		m.tenants, m.classes = labels.Tenants, labels.Classes
	} else {
		m.tenants, m.classes = statedLabels(in)
	}
	for _, t := range setup.Traces(&in.Workload, nil) {
		read := c.traces[t.Name] != nil && c.traces[t.Name].Requests() > 0
		m.moreNames = m.moreNames || !read && mayNameTenants(t.Trace)
	}
	slices.Sort(m.pools)
	m.tenants, m.classes = once(m.tenants), once(m.classes)
	return m
}

// mayNameTenants reports whether the rows of a trace may name tenants or classes.
func mayNameTenants(in *v1alpha1.Trace) bool {
	if in.Format == v1alpha1.CSVTrace {
		return in.CSV != nil && (in.CSV.Tenant != "" || in.CSV.Class != "")
	}
	return trace.Format(in.Format).NamesTenants()
}

// statedLabels are the tenants and classes of a scenario's clients and traces, without those
// that rows name.
func statedLabels(in *v1alpha1.Scenario) (tenants, classes []string) {
	for _, client := range setup.WithTenants(in).Workload.Clients {
		tenants, classes = append(tenants, client.Tenant), append(classes, client.Class)
	}
	for _, t := range setup.Traces(&in.Workload, nil) {
		tenants, classes = append(tenants, t.Tenant), append(classes, t.Class)
	}
	return tenants, classes
}

// once returns names in order, each once.
func once(names []string) []string {
	names = slices.Clone(names)
	slices.Sort(names)
	return slices.Compact(names)
}

// check checks that a metric has a value.
func (m *measured) check(metric result.Metric, path *field.Path) field.ErrorList {
	errs := m.checkSelector(metric, path)
	for _, what := range m.lacks(metric) {
		errs = append(errs, field.Invalid(path, metric.String(), m.under+what))
	}
	return errs
}

// lacks says what the scenario does not state that a metric is made of.
func (m *measured) lacks(metric result.Metric) []string {
	unpriced := func(p v1alpha1.Pool) bool { return p.CostPerReplicaHour == "" }
	switch {
	case metric.NeedsTargets() && !m.hasTargets():
		return []string{"needs latency targets; state them in spec.scenario.slos"}
	case metric.NeedsPrices() && slices.ContainsFunc(m.Pools, unpriced):
		return []string{"needs the price of every pool; state it in spec.scenario.pools[].costPerReplicaHour"}
	case metric.NeedsTenants() && len(m.tenants) < 2 && !m.moreNames:
		return []string{"compares tenants, and there is only one"}
	}
	if has, what := needs(metric.Needs()); has != nil && !has(m.Scenario) {
		return []string{"needs " + what}
	}
	return nil
}

// hasTargets reports whether some requests have latency targets.
func (m *measured) hasTargets() bool {
	return slices.ContainsFunc(m.SLOs, func(s v1alpha1.SLO) bool { return m.moreNames || slices.Contains(m.classes, s.Class) }) ||
		slices.ContainsFunc(m.Workload.Tenants, func(t v1alpha1.Tenant) bool {
			return t.SLO != nil && (m.moreNames || slices.Contains(m.tenants, t.Name))
		})
}

// checkSelector checks that a metric selects something that there is.
func (m *measured) checkSelector(metric result.Metric, path *field.Path) field.ErrorList {
	s := metric.Selector
	if s.Model != "" && len(m.models) == 0 {
		if len(m.Routers) > 0 {
			return field.ErrorList{field.Invalid(path, metric.String(), "all routers serve one model: select by pool")}
		}
		return field.ErrorList{field.Invalid(path, metric.String(), "the scenario has one router: a selector by model needs spec.scenario.routers")}
	}
	if metric.Needs() == result.NeedsAdaptive && s.Pool != "" && !setup.DividesRequests(m.Route) {
		return field.ErrorList{field.Invalid(path, metric.String(), "a selector by pool needs spec.scenario.route; without one, select by model")}
	}
	if metric.Needs() == result.NeedsRoute && s == (result.Selector{}) {
		return field.ErrorList{field.Invalid(path, metric.String(), "all requests have the share 1: select some, such as requestShare{pool=NAME}")}
	}
	var errs field.ErrorList
	for _, label := range []struct {
		name, value string
		known       []string
		more        bool
	}{
		{"pool", s.Pool, m.pools, false}, {"tenant", s.Tenant, m.tenants, m.moreNames},
		{"class", s.Class, m.classes, m.moreNames}, {"model", s.Model, m.models, false},
	} {
		if label.value != "" && !label.more && !slices.Contains(label.known, label.value) {
			errs = append(errs, field.Invalid(path, metric.String(), fmt.Sprintf("%sthe scenario has no such %s; there are %s", m.under, label.name, spelling.Quote(label.known))))
		}
	}
	return errs
}

// needs returns what tells whether a scenario has what a metric needs, and how
// the user gives it; nil where it needs nothing.
func needs(n result.Need) (has func(*v1alpha1.Scenario) bool, what string) {
	tier := func(kinds ...v1alpha1.TierKind) func(*v1alpha1.Scenario) bool {
		return anyPool(func(p *v1alpha1.Pool) bool {
			return slices.ContainsFunc(p.KVCache.Tiers, func(t v1alpha1.Tier) bool { return slices.Contains(kinds, t.Kind) })
		})
	}
	tiers, handsOver := tier(v1alpha1.CPUTier, v1alpha1.StorageTier), anyPool(setup.Prefills)
	switch n {
	case result.NeedsTiers:
		return tiers, "a tier; state one in spec.scenario.pools[].kvCache.tiers"
	case result.NeedsCPUTier:
		return tier(v1alpha1.CPUTier), "a tier of kind CPU; state it in spec.scenario.pools[].kvCache.tiers"
	case result.NeedsStorageTier:
		return tier(v1alpha1.StorageTier), "a tier of kind Storage; state it in spec.scenario.pools[].kvCache.tiers"
	case result.NeedsHandoffs:
		return handsOver, "pools that hand KV over; state their roles in spec.scenario.pools[].role"
	case result.NeedsTransfers:
		return func(in *v1alpha1.Scenario) bool { return tiers(in) || handsOver(in) },
			"tiers or pools that hand KV over; state them in spec.scenario.pools[]"
	case result.NeedsStability:
		return anyPool(func(p *v1alpha1.Pool) bool { return p.KVCache.Stability != nil }),
			"a controller; state it in spec.scenario.pools[].kvCache.stability"
	case result.NeedsDisruptions:
		return func(in *v1alpha1.Scenario) bool { return len(in.Disruptions) > 0 }, "disruptions; state them in spec.scenario.disruptions"
	case result.NeedsTimeouts:
		return func(in *v1alpha1.Scenario) bool { return setup.TimesOut(&in.Workload) }, "a timeout; state it in spec.scenario.workload.clients[].timeout or spec.scenario.workload.trace.timeout"
	case result.NeedsRetries:
		return func(in *v1alpha1.Scenario) bool { return setup.RetriesRequests(&in.Workload) }, "a retry; state it in spec.scenario.workload.clients[].retry or spec.scenario.workload.trace.retry"
	case result.NeedsAdmission:
		return anyRouter(func(r *v1alpha1.Router) bool { return r.Admission != nil }), "an admission policy; state it in spec.scenario.router.admission"
	case result.NeedsAdaptive:
		return anyRouter(func(r *v1alpha1.Router) bool { return r.Adaptive != nil }), "weights that change; state a law in spec.scenario.router.adaptive"
	case result.NeedsQueueMetrics:
		return anyPool(func(p *v1alpha1.Pool) bool { return p.Engine.QueueMetrics == v1alpha1.Enabled }),
			"queue metrics; switch them on in spec.scenario.pools[].engine.queueMetrics"
	case result.NeedsScaler:
		return func(in *v1alpha1.Scenario) bool { return len(in.Scalers) > 0 }, "a scaler; state one in spec.scenario.scalers"
	case result.NeedsWarmUpRule:
		return func(in *v1alpha1.Scenario) bool { return in.Horizon.WarmupRule != "" }, "a rule; state it in spec.scenario.horizon.warmupRule"
	case result.NeedsSpeculation:
		return anyPool(func(p *v1alpha1.Pool) bool { return p.Engine.Speculation != nil }),
			"speculative decoding; state it in spec.scenario.pools[].engine.speculation"
	case result.NeedsAdapters:
		return anyPool(func(p *v1alpha1.Pool) bool { return p.Adapters != nil }),
			"LoRA adapters; state them in spec.scenario.pools[].adapters"
	case result.NeedsRoute:
		return func(in *v1alpha1.Scenario) bool { return setup.DividesRequests(in.Route) },
			"a route that divides requests; state it in spec.scenario.route.backends"
	default:
		// Flow control is the EPP's, which a parameter may switch on.
		return nil, ""
	}
}

func anyPool(is func(*v1alpha1.Pool) bool) func(*v1alpha1.Scenario) bool {
	return func(in *v1alpha1.Scenario) bool {
		return slices.ContainsFunc(in.Pools, func(p v1alpha1.Pool) bool { return is(&p) })
	}
}

// anyRouter reports whether something is true of some router.
func anyRouter(is func(*v1alpha1.Router) bool) func(*v1alpha1.Scenario) bool {
	return func(in *v1alpha1.Scenario) bool {
		return is(&in.Router) || slices.ContainsFunc(in.Routers, func(r v1alpha1.ModelRouter) bool { return is(&r.Router) })
	}
}
