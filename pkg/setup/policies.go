// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/adaptive"
	"windtunnel.dev/windtunnel/pkg/policy/admission"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/priority"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// buildPolicies makes the policies of the gateway, or those of each router, or says what is
// wrong with them. A policy may have replicas of the pools reject requests. router may be
// nil: then the rest is checked. Programs say their faults to faults.
func buildPolicies(parts []Part, router *Routing, clusters []config.Cluster, pools []simulator.Pool, labels workload.Labels, hot hotPrefixes, seed int64, programs *programReader, faults *policy.Faults, path *field.Path) (policy.Policies, field.ErrorList) {
	routers := make([]policy.RouterPolicies, len(parts))
	var errs field.ErrorList
	for i := range parts {
		p := &parts[i]
		gateway, es := loadGateway(p.Scenario, labels, true, programs, path)
		errs = append(errs, p.Relocate(es, path)...)
		if router == nil || len(errs) > 0 {
			continue
		}
		if errs = append(errs, p.Relocate(router.Of(p).loadProgram(&p.Scenario.Router, labels, programs, path.Child("router")), path)...); len(errs) > 0 {
			continue
		}
		if gateway.admission != nil && gateway.admission.AsksReplicas {
			p.refuseWithoutRoom(pools)
		}
		clusters[i].Tenants, clusters[i].Headers = labels.Tenants, labels.Headers
		clusters[i].Priorities = gateway.priorities(&p.Scenario.Workload)
		routers[i] = policy.RouterPolicies{First: p.firstEndpoint, Endpoints: clusters[i].Endpoints, Policies: gateway.build(labels, clusters[i].Endpoints, seed, faults)}
		routers[i].Routing = router.Of(p).build(&p.Scenario.Router, clusters[i], seed, faults)
		errs = append(errs, p.Relocate(gateway.adapt(p, &routers[i].Policies, router.Of(p), hot, seed, path), path)...)
		newEntrance(&p.Scenario.Router, &gateway, &routers[i].Policies)
	}
	if router == nil || len(errs) > 0 {
		return policy.Policies{}, errs
	}
	if parts[0].Key == "" {
		return routers[0].Policies, nil
	}
	all := policy.ByRouter(routers...)
	all.Routing.Router = routersSideBySide{all.Routing.Router, parts, routers}
	return all, nil
}

// refuseWithoutRoom has the stability controllers of the part's pools reject requests for
// which they find no room.
func (p *Part) refuseWithoutRoom(pools []simulator.Pool) {
	for j := range p.Scenario.Pools {
		if stability := pools[p.firstPool+j].Stability; stability != nil {
			stability.Admission = simulator.AdmitOrRefuse
		}
	}
}

// gatewayPolicies are the policies that stand before a router; nil fields are absent.
type gatewayPolicies struct {
	admission *admission.Config
	priority  *priority.Config
	adaptive  *adaptive.Config
	// admissionProgram and priorityProgram stand in place of the policies.
	admissionProgram, priorityProgram *program
}

// program is a program for a layout.
type program struct {
	code   sandbox.Code
	layout *sandbox.Layout
}

// validateGateway says which names of tenants and classes the policies before the routers
// have that are not the workload's.
func validateGateway(in *v1alpha1.Scenario, labels workload.Labels, path *field.Path) field.ErrorList {
	parts, errs := Parts(in, path)
	for i := range parts {
		_, es := loadGateway(parts[i].Scenario, labels, false, nil, path)
		errs = append(errs, parts[i].Relocate(es, path)...)
	}
	return errs
}

// loadGateway reads the policies that stand before a scenario's router. With a selection of
// the workload's sources, they may name tenants and classes that are not there. Programs are
// read only if a simulation is to run.
func loadGateway(in *v1alpha1.Scenario, labels workload.Labels, selected bool, programs *programReader, path *field.Path) (gatewayPolicies, field.ErrorList) {
	var g gatewayPolicies
	var errs, es field.ErrorList
	at := path.Child("router")
	if a := in.Router.Admission; a != nil {
		spec := admission.Spec{Policy: a.Policy, Parameters: policyParameters(a.Parameters)}
		g.admission, es = loadAdmission(in, spec, labels, selected, at.Child("admission"))
		errs = append(errs, es...)
	}
	if p := in.Router.Priority; p != nil {
		spec := priority.Spec{Policy: p.Policy, Parameters: policyParameters(p.Parameters)}
		g.priority, es = loadPriority(in, spec, labels, selected, at.Child("priority"))
		errs = append(errs, es...)
	}
	errs = append(errs, g.loadBundled(in, labels, selected, programs, at)...)
	errs = append(errs, g.checkBound(&in.Router, at)...)
	g.adaptive, es = loadAdaptive(&in.Router, at.Child("adaptive"))
	return g, append(errs, es...)
}

func loadAdmission(in *v1alpha1.Scenario, spec admission.Spec, labels workload.Labels, selected bool, path *field.Path) (*admission.Config, field.ErrorList) {
	return admission.Load(spec, admission.Names{
		Tenants: labels.Tenants, Classes: labels.Classes, Selected: selected,
		Stability: slices.ContainsFunc(in.Pools, func(p v1alpha1.Pool) bool { return p.KVCache.Stability != nil }),
	}, path)
}

func loadPriority(in *v1alpha1.Scenario, spec priority.Spec, labels workload.Labels, selected bool, path *field.Path) (*priority.Config, field.ErrorList) {
	return priority.Load(spec, priority.World{Tenants: labels.Tenants, Classes: labels.Classes, Selected: selected, HasTTFT: hasTTFT(in)}, path)
}

// checkBound refuses an admission that compares priorities with a number where only their
// order means something.
func (g *gatewayPolicies) checkBound(in *v1alpha1.Router, path *field.Path) field.ErrorList {
	if g.admission == nil || g.priority == nil || !g.admission.BoundsPriority || !g.priority.OnlyOrder {
		return nil
	}
	return field.ErrorList{field.Invalid(path.Child("admission", "policy"), in.Admission.Policy, fmt.Sprintf(
		"sheds requests below a priority, and only the order of the priorities of %s means something: use another admission, or a priority with numbers of your own, such as class or tenant", in.Priority.Policy))}
}

// hasTTFT reports whether some requests have a target of the time to first token.
func hasTTFT(in *v1alpha1.Scenario) bool {
	return slices.ContainsFunc(in.SLOs, func(s v1alpha1.SLO) bool { return s.TTFT != "" }) ||
		slices.ContainsFunc(in.Workload.Tenants, func(t v1alpha1.Tenant) bool { return t.SLO != nil && t.SLO.TTFT != "" })
}

// build makes the policies for one run, over a number of endpoints.
func (g *gatewayPolicies) build(labels workload.Labels, endpoints int, seed int64, faults *policy.Faults) policy.Policies {
	var p policy.Policies
	var window time.Duration
	if x := g.admissionProgram; x != nil {
		p.Admission, window = admission.NewProgram(x.code, x.layout, endpoints, seed, faults), admission.ProgramWindow
	}
	if x := g.priorityProgram; x != nil {
		p.Priority, window = priority.NewProgram(x.code, x.layout, endpoints, seed, faults), admission.ProgramWindow
	}
	if g.admission != nil {
		p.Admission = g.admission.New(seed)
		window = max(window, g.admission.Window)
	}
	if g.priority != nil {
		p.Priority = g.priority.New()
	}
	if g.adaptive != nil && window == 0 {
		window = adaptive.Window
	}
	if window > 0 {
		p.Traffic = policy.NewTraffic(len(labels.Tenants), len(labels.Classes), window)
	}
	return p
}

// priorities are those that requests may have, each once, as far as they are known.
func (g *gatewayPolicies) priorities(in *v1alpha1.Workload) []int {
	if g.priority != nil {
		return nil
	}
	return priorities(in)
}
