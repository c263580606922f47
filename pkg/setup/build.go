// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"slices"
	"sync"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// A Builder makes simulations of resolved scenarios. It remembers what the texts in
// them say: all of a sweep's points hold the same ones, and a long one takes as long to
// read as a short simulation to run. The zero value remembers nothing yet; it may be
// used concurrently.
type Builder struct {
	parsed sync.Map
	last   atomic.Pointer[decoded]
}

// Build makes a simulation of a resolved scenario under one seed, or says what
// stands in the way. router may be nil, and traces may be missing, where they were faulty: then
// the rest is checked and the configuration is of no use.
func (b *Builder) Build(in *v1alpha1.Scenario, router *Routing, traces trace.Set, seed int64, path *field.Path) (simulator.Config, field.ErrorList) {
	c, errs := b.BuildSelection(in, router, traces, seed, path)
	if c.Source != nil && len(errs) == 0 {
		errs = validateGateway(in, c.Source.Labels(), path)
	}
	if c.Source != nil {
		errs = append(errs, validateUse(in, c.Source.Labels(), traces, path)...)
	}
	return c, errs
}

// BuildSelection is Build for a scenario with a selection of the sources of a workload, which
// may lack tenants and classes that the scenario states.
func (b *Builder) BuildSelection(in *v1alpha1.Scenario, router *Routing, traces trace.Set, seed int64, path *field.Path) (simulator.Config, field.ErrorList) {
	catalogue, errs := b.catalogue(in.Catalogue, path.Child("catalogue"))
	if len(errs) > 0 {
		return simulator.Config{}, errs
	}
	pools, errs := b.buildPools(in.Pools, catalogue, path.Child("pools"))
	for i := range pools {
		if scalerOf(in, in.Pools[i].Name) != nil {
			pools[i].MaxReplicas = places(in, &in.Pools[i])
		}
	}
	if len(in.Routers) == 0 {
		errs = append(errs, validateOneModel(in.Pools, catalogue, path.Child("pools"))...)
	}
	errs = append(errs, validateLabels(in.Pools, path.Child("pools"))...)
	programs := b.programs(router)
	parts, es := Parts(in, path)
	errs = append(errs, es...)
	clusters := make([]config.Cluster, len(parts))
	for i := range parts {
		p, partRouter := &parts[i], router.Of(&parts[i])
		clusters[i], es = p.check(partRouter, pools, traces, seed, path)
		errs = append(errs, p.Relocate(es, path)...)
	}
	errs = append(errs, validateModels(in, path)...)
	if len(parts) > 0 {
		errs = append(errs, validateRoute(in, path)...)
	}
	handoff, es := buildHandoff(in, router, path.Child("disaggregation"))
	errs = append(errs, es...)
	disruptions, es := buildDisruptions(in, path.Child("disruptions"))
	errs = append(errs, es...)
	source, es := buildSource(&in.Workload, servedBy(in), traces, seed, path.Child("workload"))
	errs = append(errs, es...)
	c := simulator.Config{
		Pools:          pools,
		Horizon:        buildHorizon(in.Horizon),
		ScrapeInterval: in.Router.MetricsRefreshInterval.Duration(),
		Handoff:        handoff,
		Disruptions:    disruptions,
		Seed:           seed,
	}
	if source != nil {
		c.Source = source
		if answersEnds(&in.Workload, traces) {
			c.Listener = source
		}
		c.Targets = buildTargets(in.SLOs, source.Labels().Classes)
		c.TenantTargets = buildTenantTargets(&in.Workload, c.Targets, source.Labels().Tenants, len(source.Labels().Classes))
	}
	if source != nil && len(errs) == 0 {
		hot := hotPrefixes{scenario: in, config: &c, traces: traces, seed: seed}
		faults := &policy.Faults{}
		c.Policies, es = buildPolicies(parts, router, clusters, c.Pools, source.Labels(), hot, seed, programs, faults, path)
		errs = append(errs, es...)
		c.Policies.Faults = faults
	}
	if source != nil && len(errs) == 0 {
		future := &futureArrivals{open: func() workload.Listener {
			again, _ := buildSource(&in.Workload, servedBy(in), traces, seed, path.Child("workload"))
			return again
		}, router: func(w *workload.Request) int {
			router, _ := c.Find(w)
			return router
		}}
		errs = append(errs, buildScaling(in, router, &c, future, seed, programs, path)...)
		if parts[0].Key != "" {
			c.RouterOf = routerOf(parts, source.Labels().Models)
		}
		c.Route = buildRoute(in, parts, source.Labels(), seed)
	} else {
		errs = append(errs, validateScaledPools(in, path)...)
	}
	errs = append(errs, buildSchedulers(in, parts, &c, seed, programs, path)...)
	if router != nil && len(errs) == 0 {
		for i := range parts {
			parts[i].claim(c.Pools, i)
		}
		for i := range c.Scaling {
			c.Scaling[i].Router = c.Pools[c.Scaling[i].Pools[0]].Router
		}
	}
	return c, errs
}

func buildHorizon(in v1alpha1.Horizon) simulator.Horizon {
	h := simulator.Horizon{
		Duration: in.Duration.Duration(),
		WarmUp:   in.Warmup.Duration(),
		Drain:    in.Drain.Duration(),
	}
	if in.Requests != nil {
		h.Requests = int(*in.Requests)
	}
	return h
}

// buildTargets indexes the SLOs by the workload's classes.
func buildTargets(slos []v1alpha1.SLO, classes []string) []simulator.Target {
	if len(slos) == 0 {
		return nil
	}
	targets := make([]simulator.Target, len(classes))
	for _, slo := range slos {
		if at := slices.Index(classes, slo.Class); at >= 0 {
			targets[at] = simulator.Target{TTFT: slo.TTFT.Duration(), TPOT: slo.TPOT.Duration(), E2E: slo.E2E.Duration()}
		}
	}
	return targets
}
