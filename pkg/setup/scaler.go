// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// scalerBuilder makes the units of a scenario's scalers.
type scalerBuilder struct {
	in     *v1alpha1.Scenario
	router *Routing
	c      *simulator.Config
	// future tells policies that know the future of the arrivals.
	future   *futureArrivals
	seed     int64
	programs *programReader
	path     *field.Path // of the scenario
}

// build makes the unit of a scaler.
func (b *scalerBuilder) build(s *v1alpha1.Scaler, path *field.Path) (simulator.ScaledUnit, field.ErrorList) {
	u, endpoints, errs := scaledPools(b.in, s, b.c, path)
	if len(errs) > 0 {
		return u, errs
	}
	window := time.Duration(0)
	if s.Policy == "" {
		window, errs = loadManifest(b.in, b.router, s, b.c, &u, path)
	} else {
		window, errs = b.loadPolicy(s, &u, path)
	}
	u.Monitor = autoscaling.NewMonitor(endpoints, cmp.Or(s.Metrics.ScrapeInterval.Duration(), defaultScalerInterval), s.Metrics.Delay.Duration(), window)
	return u, errs
}

// loadPolicy makes the scaler, and the trigger, of a unit that a policy scales.
func (b *scalerBuilder) loadPolicy(s *v1alpha1.Scaler, u *simulator.ScaledUnit, path *field.Path) (window time.Duration, errs field.ErrorList) {
	c := b.c
	world := autoscaling.World{
		ScrapeInterval: cmp.Or(s.Metrics.ScrapeInterval.Duration(), defaultScalerInterval), Delay: s.Metrics.Delay.Duration(),
		HasTargets: len(c.Targets)+len(c.TenantTargets) > 0,
		FutureRate: func(now, from, to simtime.Time) float64 {
			return b.future.rate(c.Pools[u.Pools[0]].Router, now, from, to)
		},
	}
	world.TTFT, world.TBT = shortestTargets(c)
	for k, name := range s.Pools {
		world.Pools = append(world.Pools, autoscaling.PoolBounds{
			Name: name, Min: u.Min[k], Max: u.Max[k], Model: engineModel(&b.in.Pools[u.Pools[k]], &c.Pools[u.Pools[k]]),
		})
	}
	var policy *autoscaling.Config
	if s.Policy == bundlePolicy {
		policy, errs = b.loadBundled(s, world, path)
	} else {
		policy, errs = autoscaling.Load(autoscaling.Spec{Name: s.Policy, Parameters: policyParameters(s.Parameters)}, world, path)
	}
	if policy != nil {
		u.Scaler, window = policy.New(), policy.Window
	}
	if s.Trigger != nil {
		at := path.Child("trigger")
		trigger, es := autoscaling.LoadTrigger(autoscaling.Spec{Name: s.Trigger.Name, Parameters: policyParameters(s.Trigger.Parameters)}, world, at)
		errs = append(errs, es...)
		if trigger != nil {
			u.Trigger, window = trigger.New(), max(window, trigger.Window)
		}
	}
	if len(s.Metrics.Queries) > 0 {
		errs = append(errs, field.Forbidden(path.Child("metrics", "queries"), "goes with horizontalPodAutoscaler; a policy has no metrics by name"))
	}
	return window, errs
}

// scaledPools finds the pools of a scaler, and counts their endpoints.
func scaledPools(in *v1alpha1.Scenario, s *v1alpha1.Scaler, c *simulator.Config, path *field.Path) (u simulator.ScaledUnit, endpoints int, errs field.ErrorList) {
	u = simulator.ScaledUnit{Name: s.Name, Interval: cmp.Or(s.Interval.Duration(), defaultScalerInterval)}
	least, most := replicaBounds(s)
	if isUnread(s) {
		return u, 0, nil
	}
	if most == 0 {
		m, _, errs := readManifest(s, path)
		switch {
		case len(errs) > 0:
		case m != nil || s.Policy != "":
			errs = field.ErrorList{field.Required(path.Child("maxReplicas"), "no manifest of the scaler bounds the replicas")}
		default:
			errs = field.ErrorList{field.Required(path.Child("policy"), "state policy, horizontalPodAutoscaler, scaledObject, podAutoscaler or workloadVariantAutoscaler")}
		}
		return u, 0, errs
	}
	for k, name := range s.Pools {
		at := path.Child("pools").Index(k)
		i := slices.IndexFunc(in.Pools, func(p v1alpha1.Pool) bool { return p.Name == name })
		if i < 0 {
			errs = append(errs, field.NotSupported(at, name, poolNames(in)))
			continue
		}
		if n := int(in.Pools[i].Replicas); n < least || n > most {
			errs = append(errs, field.Invalid(path.Child("pools").Index(k), name, fmt.Sprintf(
				"the pool starts with %d replicas, and the scaler keeps it between %d and %d: state replicas of the pool within these bounds", n, least, most)))
		}
		if k > 0 && len(u.Pools) > 0 && in.Pools[i].Model != in.Pools[u.Pools[0]].Model {
			errs = append(errs, field.Invalid(at, name, "serves another model than the first pool of the scaler"))
		}
		u.Pools, u.Min, u.Max = append(u.Pools, i), append(u.Min, least), append(u.Max, most)
		endpoints += c.Pools[i].Places()
	}
	if len(errs) == 0 && s.Policy != "" && len(u.Pools) == 2 {
		errs = validateOrder(s, in.Pools[u.Pools[0]].Role, in.Pools[u.Pools[1]].Role, path.Child("pools"))
	}
	if least == 0 && in.Activator == nil {
		at := path.Child("minReplicas")
		switch {
		case s.PodAutoscaler != nil:
			at = path.Child("podAutoscaler")
		case hasBounds(s):
			at = path.Child("scaledObject")
		}
		errs = append(errs, field.Invalid(at, 0,
			"if no replica is left, requests are rejected and nothing asks for a new one: state activator, which lets requests wait, or a minimum of 1"))
	}
	return u, endpoints, errs
}

// validateOrder returns the fault of two pools of one policy, which takes the first for the one that prefills and the second
// for the one that decodes.
func validateOrder(s *v1alpha1.Scaler, first, second v1alpha1.Role, path *field.Path) field.ErrorList {
	switch {
	case first == v1alpha1.DecodeRole || second == v1alpha1.PrefillRole:
		return field.ErrorList{field.Invalid(path, s.Pools, "name the pool that prefills first and the one that decodes second: policies tell them apart by their order")}
	case first != v1alpha1.PrefillRole && second != v1alpha1.DecodeRole:
		return field.ErrorList{field.Invalid(path, s.Pools, "a policy scales one pool, or one that prefills and one that decodes: state a scaler for each of these pools")}
	}
	return nil
}

func poolNames(in *v1alpha1.Scenario) []string {
	var names []string
	for i := range in.Pools {
		names = append(names, in.Pools[i].Name)
	}
	return names
}

// shortestTargets are the shortest targets of any class and tenant; 0 without targets.
func shortestTargets(c *simulator.Config) (ttft, tpot time.Duration) {
	shorter := func(to *time.Duration, d time.Duration) {
		if d > 0 && (*to == 0 || d < *to) {
			*to = d
		}
	}
	for _, targets := range append(slices.Clone(c.TenantTargets), c.Targets) {
		for _, t := range targets {
			shorter(&ttft, t.TTFT)
			shorter(&tpot, t.TPOT)
		}
	}
	return ttft, tpot
}

// engineModel is what a policy may know of the engines of a pool before they run.
func engineModel(in *v1alpha1.Pool, p *simulator.Pool) autoscaling.EngineModel {
	return autoscaling.EngineModel{
		Timer: p.Timer, Accelerators: max(1, int(in.TensorParallelism)), KVTokens: p.KVTokens(),
		MaxNumSeqs: p.MaxNumSeqs, MaxNumBatchedTokens: p.MaxNumBatchedTokens, ContextTokens: p.MaxModelLen,
		Drafts: p.Speculation.Drafts(), TokensPerStep: p.Speculation.TokensPerStep(),
	}
}
