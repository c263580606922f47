// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/bundle"
)

// loadBundled reads the scaling of the bundle of the router that chooses among the scaler's
// pools.
func (b *scalerBuilder) loadBundled(s *v1alpha1.Scaler, world autoscaling.World, path *field.Path) (*autoscaling.Config, field.ErrorList) {
	router, routerPath := routerOfPool(b.in, s.Pools[0], b.path)
	c, at := component(router, sandbox.Autoscale), bundlePath(routerPath).Child("autoscale")
	if c == nil {
		return nil, field.ErrorList{field.Invalid(path.Child("policy"), s.Policy, "stands for the autoscale of a bundle, and the router of the pools has none: state router.policies.bundle, or the name of a policy")}
	}
	if len(s.Parameters) > 0 {
		return nil, field.ErrorList{field.Forbidden(path.Child("parameters"), "the bundle has those of its policy")}
	}
	if c.BuiltIn != nil {
		return autoscaling.Load(autoscaling.Spec{Name: c.BuiltIn.Policy, Parameters: bundle.Texts(c.BuiltIn.Parameters)}, world, at.Child("builtIn"))
	}
	program, errs := b.programs.readFor(c, sandbox.AutoscaleLayout(), at)
	if len(errs) > 0 {
		return nil, errs
	}
	return autoscaling.ProgramConfig(program.code, program.layout, world, b.seed, b.c.Policies.Faults), nil
}

// routerOfPool is the router that chooses among the replicas of a pool, and where it stands
// below the path of the scenario.
func routerOfPool(in *v1alpha1.Scenario, pool string, path *field.Path) (*v1alpha1.Router, *field.Path) {
	if len(in.Routers) == 0 {
		return &in.Router, path.Child("router")
	}
	i := ownerOf(in, pool)
	return &in.Routers[i].Router, path.Child("routers").Index(i)
}

// validateBundledScaling says which bundles have a scaling that no scaler uses.
func validateBundledScaling(in *v1alpha1.Scenario, router *v1alpha1.Router, path *field.Path) field.ErrorList {
	if component(router, sandbox.Autoscale) == nil {
		return nil
	}
	uses := func(s v1alpha1.Scaler) bool {
		of, _ := routerOfPool(in, s.Pools[0], nil)
		return s.Policy == bundlePolicy && of == router
	}
	if slices.ContainsFunc(in.Scalers, uses) {
		return nil
	}
	return field.ErrorList{field.Forbidden(bundlePath(path).Child("autoscale"), "has no effect: state a scaler of the router's pools with policy: "+bundlePolicy)}
}
