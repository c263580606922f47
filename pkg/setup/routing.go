// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/native"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/bundle"
)

// A Routing is how a scenario's router chooses replicas: exactly one field is set.
type Routing struct {
	EPPConfig *config.Config
	native    *native.Config
	// program is what routes where a bundle has a program for it: then native is nil until
	// the names of the workload are known.
	program *bundle.Component
	// runs says that programs are read, since a simulation runs.
	runs bool
	// models are the routings of several models, in the order of the scenario's
	// routers.
	models []*Routing
}

// disaggregates reports whether requests are ever handed over among pools: by an EPP that has the
// stages, and by a policy of Windtunnel's own where pools do half of the work.
func (r *Routing) disaggregates(pools []v1alpha1.Pool) bool {
	switch {
	case r.EPPConfig != nil:
		return r.EPPConfig.Disaggregates()
	case len(r.models) > 0:
		return slices.ContainsFunc(r.models, func(m *Routing) bool { return m.disaggregates(pools) })
	}
	return slices.ContainsFunc(pools, func(p v1alpha1.Pool) bool { return hasOneStage(&p) })
}

// predicts reports whether predictions of latency are asked for.
func (r *Routing) predicts() bool { return r.EPPConfig != nil && epp.Predicts(r.EPPConfig) }

// check says what keeps it from choosing among a scenario's replicas.
func (r *Routing) check(in *v1alpha1.Scenario, cluster *config.Cluster, path *field.Path) field.ErrorList {
	errs := validateRouter(in, r, path)
	if r.EPPConfig == nil {
		return errs
	}
	return append(r.EPPConfig.Check(cluster, path.Child("router", "endpointPickerConfig")), errs...)
}

// build makes the router, or several.
func (r *Routing) build(in *v1alpha1.Router, cluster config.Cluster, seed int64, faults *policy.Faults) policy.Routing {
	replicas := max(int(in.Replicas), 1)
	switch {
	case r.EPPConfig != nil && replicas > 1:
		return epp.NewReplicas(r.EPPConfig, cluster, replicas, seed).Routing()
	case r.EPPConfig != nil:
		return epp.New(r.EPPConfig, cluster, seed).Routing()
	}
	natives := r.buildNatives(&cluster, replicas, seed, faults)
	routings := make([]policy.Routing, replicas)
	for i := range natives {
		routings[i] = natives[i].Routing()
	}
	if replicas == 1 {
		one := routings[0]
		one.Router = explainedRouter{natives[0], policyName(in), &scheduler.ExplanationPool{}}
		return one
	}
	all := policy.Replicate(routings...)
	all.Router = explainedRouters{all.Router, natives, policyName(in)}
	return all
}

// buildNatives makes the routers of a policy of Windtunnel's own.
func (r *Routing) buildNatives(cluster *config.Cluster, replicas int, seed int64, faults *policy.Faults) []native.Policy {
	all := make([]native.Policy, replicas)
	if of := rolesOf(cluster); of != nil {
		for i, split := range native.NewSplits(r.native, of, replicas, seed, faults) {
			all[i] = split
		}
		return all
	}
	for i, router := range native.NewReplicas(r.native, cluster.Endpoints, replicas, seed, faults) {
		all[i] = router
	}
	return all
}

// loadRouting reads a policy of Windtunnel's own.
func loadRouting(in *v1alpha1.Router, path *field.Path) (*Routing, field.ErrorList) {
	if in.Policies.Bundle != nil {
		return loadBundledRouting(in, path)
	}
	path = path.Child("routing")
	p := &in.Policies.Routing
	spec := native.Spec{
		Policy:     p.Policy,
		Parameters: policyParameters(p.Parameters),
		TieBreak:   strings.ToLower(string(in.TieBreak)),
	}
	if p.Weights == v1alpha1.NormalizedWeights {
		spec.Mode = native.ModeNormalised
	}
	for _, s := range p.Scorers {
		spec.Scorers = append(spec.Scorers, native.Scorer{Name: s.Name, Weight: s.Weight.Float(), Parameters: policyParameters(s.Parameters)})
	}
	config, errs := native.Load(spec, path)
	if len(errs) > 0 {
		return nil, errs
	}
	return &Routing{native: config}, nil
}

func policyParameters(in map[string]v1alpha1.PolicyParameter) map[string]string {
	parameters := map[string]string{}
	for name, value := range in {
		parameters[name] = string(value)
	}
	return parameters
}
