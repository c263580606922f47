// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/bundle"
	"windtunnel.dev/windtunnel/pkg/policy/scheduling"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// buildSchedulers gives the pools of a configuration the schedulers of their engines. Its
// source, if there is one, and its targets are those of the simulation.
func buildSchedulers(in *v1alpha1.Scenario, parts []Part, c *simulator.Config, seed int64, programs *programReader, path *field.Path) field.ErrorList {
	errs := buildEngineSchedulers(in.Pools, c, seed, path.Child("pools"))
	if c.Source == nil || len(errs) > 0 {
		return errs
	}
	for i := range parts {
		p := &parts[i]
		errs = append(errs, p.Relocate(p.bundledScheduler(c, seed, programs, path.Child("router")), path)...)
	}
	return errs
}

// bundledScheduler gives the pools of a part the scheduler of its router's bundle, if that has
// one.
func (p *Part) bundledScheduler(c *simulator.Config, seed int64, programs *programReader, router *field.Path) field.ErrorList {
	s, at := component(&p.Scenario.Router, sandbox.Scheduler), bundlePath(router).Child("scheduler")
	if s == nil {
		return nil
	}
	var factory scheduling.Factory
	if s.Program() {
		program, errs := programs.readFor(s, sandbox.SchedulerLayout(namesOf(c.Source.Labels())), at)
		if len(errs) > 0 {
			return errs
		}
		factory = scheduling.ProgramFactory(program.code, program.layout, seed, c.Policies.Faults)
	} else {
		spec := scheduling.Spec{Scheduler: s.BuiltIn.Policy, Parameters: bundle.Texts(s.BuiltIn.Parameters), Victim: s.BuiltIn.Victim}
		config, errs := scheduling.Load(spec, at.Child("builtIn"))
		if len(errs) > 0 {
			return errs
		}
		factory = config.Factory(scheduling.Environment{Seed: seed, Tenants: c.Source.Labels().Tenants})
	}
	for j := range p.Scenario.Pools {
		if i := p.firstPool + j; i < len(c.Pools) {
			c.Pools[i].Scheduler = factory
		}
	}
	return nil
}

// buildEngineSchedulers gives pools the schedulers that their engines state.
func buildEngineSchedulers(in []v1alpha1.Pool, c *simulator.Config, seed int64, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i := range in {
		at := path.Index(i).Child("engine")
		config, es := scheduling.Load(schedulerSpec(&in[i].Engine), at)
		errs = append(errs, es...)
		if config == nil || c.Source == nil {
			continue
		}
		tenants := c.Source.Labels().Tenants
		errs = append(errs, config.CheckTenants(tenants, at)...)
		if config.ByDeadline() && !hasTTFTTarget(c) {
			errs = append(errs, field.Invalid(at.Child("scheduler"), in[i].Engine.Scheduler,
				"orders requests by their TTFT targets, and no class or tenant has one: state slos[].ttft or workload.tenants[].slo.ttft"))
		}
		if i < len(c.Pools) {
			c.Pools[i].Scheduler = config.Factory(scheduling.Environment{Seed: seed, Tenants: tenants})
		}
	}
	return errs
}

func schedulerSpec(in *v1alpha1.Engine) scheduling.Spec {
	return scheduling.Spec{
		Scheduler: string(in.Scheduler), Parameters: policyParameters(in.SchedulerParameters), Victim: string(in.Victim),
	}
}

// hasTTFTTarget reports whether some class of some tenant has one.
func hasTTFTTarget(c *simulator.Config) bool {
	has := func(targets []simulator.Target) bool {
		return slices.ContainsFunc(targets, func(t simulator.Target) bool { return t.TTFT > 0 })
	}
	return has(c.Targets) || slices.ContainsFunc(c.TenantTargets, has)
}
