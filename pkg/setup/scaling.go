// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// What the API calls by name. A path may lead to one field of what is not there: then the
// others have no value.
var (
	endings = map[v1alpha1.DrainMode]simulator.EndingMode{
		"":                      simulator.EndWhenServed,
		v1alpha1.WaitDrain:      simulator.EndWhenServed,
		v1alpha1.ImmediateDrain: simulator.EndAtOnce,
		v1alpha1.RedirectDrain:  simulator.EndElsewhere,
	}
	warmUpCurves = map[v1alpha1.WarmUpCurve]simulator.WarmUpCurve{
		"":                              simulator.LinearWarmUp,
		v1alpha1.LinearWarmUpCurve:      simulator.LinearWarmUp,
		v1alpha1.ExponentialWarmUpCurve: simulator.ExponentialWarmUp,
		v1alpha1.StepWarmUpCurve:        simulator.StepWarmUp,
	}
)

// The defaults of fields of objects that are not there.
const (
	defaultModelLoad       = 130 * time.Second
	defaultDrainTimeout    = 30 * time.Second
	defaultPenalty         = 1.5
	defaultScalerInterval  = 15 * time.Second
	defaultAccelerators    = 8
	defaultNodeTime        = 3 * time.Minute
	defaultNodeIdleTimeout = 10 * time.Minute
)

// buildScaling adds the scalers of a scenario to a configuration, whose pools are in place.
func buildScaling(in *v1alpha1.Scenario, router *Routing, c *simulator.Config, future *futureArrivals, seed int64, programs *programReader, path *field.Path) field.ErrorList {
	b := scalerBuilder{in, router, c, future, seed, programs, path}
	errs := append(validateScaledPools(in, path), validateBundledScaling(in, &in.Router, path.Child("router"))...)
	for i := range in.Routers {
		errs = append(errs, validateBundledScaling(in, &in.Routers[i].Router, path.Child("routers").Index(i))...)
	}
	for i := range in.Pools {
		errs = append(errs, buildLife(in, i, c, path.Child("pools").Index(i))...)
	}
	errs = append(errs, buildNodePools(in, c, path)...)
	errs = append(errs, validateStartTime(in, path.Child("horizon", "startTime"))...)
	if in.Activator != nil {
		c.AwaitReplicas = in.Activator.MaxWait.Duration()
	}
	for i := range in.Scalers {
		unit, es := b.build(&in.Scalers[i], path.Child("scalers").Index(i))
		errs = append(errs, es...)
		c.Scaling = append(c.Scaling, unit)
	}
	return errs
}

// validateScaledPools says which pools several scalers name, and what needs a scaler that
// is not there.
func validateScaledPools(in *v1alpha1.Scenario, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	first := map[string]string{}
	for i := range in.Scalers {
		s, at := &in.Scalers[i], path.Child("scalers").Index(i)
		for k, pool := range s.Pools {
			if other, twice := first[pool]; twice {
				errs = append(errs, field.Invalid(at.Child("pools").Index(k), pool, fmt.Sprintf("scaler %s scales this pool: a pool has one scaler at most", other)))
			}
			first[pool] = s.Name
		}
	}
	for i := range in.Pools {
		p, at := &in.Pools[i], path.Child("pools").Index(i)
		if s := scalerOf(in, p.Name); s != nil {
			if ranksOf(p) > 1 {
				errs = append(errs, field.Invalid(at.Child("dataParallelism"), p.DataParallelism,
					"scaler "+s.Name+" scales this pool, and scalers of replicas with several ranks are not simulated: take the pool out of scalers, or set 1"))
			}
			continue
		}
		unused := func(name string, value any) {
			errs = append(errs, field.Invalid(at.Child(name), value, "has no effect: no scaler scales the pool"))
		}
		if p.Startup != nil {
			unused("startup", "")
		}
		if p.Drain != nil {
			unused("drain", "")
		}
		if p.NodePool != "" {
			unused("nodePool", p.NodePool)
		}
	}
	if in.Activator != nil && len(in.Scalers) == 0 {
		errs = append(errs, field.Invalid(path.Child("activator"), "", "has no effect: there are no scalers"))
	}
	return errs
}

// buildLife says how the replicas of a pool start and end.
func buildLife(in *v1alpha1.Scenario, pool int, c *simulator.Config, path *field.Path) field.ErrorList {
	p, to := &in.Pools[pool], &c.Pools[pool]
	if scalerOf(in, p.Name) == nil {
		return nil
	}
	to.Startup = simulator.Startup{ModelLoad: simulator.Delay{Mean: defaultModelLoad}}
	to.Ending = simulator.Ending{Timeout: defaultDrainTimeout}
	var errs field.ErrorList
	if s := p.Startup; s != nil {
		variation := s.CoefficientOfVariation.Float()
		delay := func(d v1alpha1.Duration) simulator.Delay {
			return simulator.Delay{Mean: d.Duration(), Variation: variation}
		}
		to.Startup = simulator.Startup{
			Provisioning: delay(s.Provisioning), ImagePull: delay(s.ImagePull), ModelLoad: delay(s.ModelLoad), FailureShare: s.FailureShare.Float(),
		}
		to.Startup.ModelLoad.Mean = stated(s.ModelLoad, defaultModelLoad)
		if w := s.WarmUp; w != nil {
			to.Startup.WarmUp = simulator.WarmUp{Duration: w.Duration.Duration(), Curve: warmUpCurves[w.Curve], Penalty: cmp.Or(w.InitialPenalty.Float(), defaultPenalty)}
			if to.Startup.WarmUp.Penalty < 1 {
				errs = append(errs, field.Invalid(path.Child("startup", "warmUp", "initialPenalty"), w.InitialPenalty, "must be at least 1: it is the factor of the duration of a step"))
			}
		}
		if p.NodePool != "" && s.Provisioning.Duration() > 0 {
			errs = append(errs, field.Invalid(path.Child("startup", "provisioning"), s.Provisioning, "the pool has a nodePool, whose nodes have a provisioning of their own: set one of both"))
		}
	}
	if d := p.Drain; d != nil {
		to.Ending = simulator.Ending{Mode: endings[d.Mode], Timeout: stated(d.Timeout, defaultDrainTimeout)}
	}
	return errs
}

// stated is a time that the user states, or its default.
func stated(d v1alpha1.Duration, otherwise time.Duration) time.Duration {
	if d == "" {
		return otherwise
	}
	return d.Duration()
}

// MeanStartup is how long a replica of a pool takes to start, with a new node where it needs
// one.
func MeanStartup(in *v1alpha1.Scenario, p *v1alpha1.Pool) time.Duration {
	total := defaultModelLoad
	if s := p.Startup; s != nil {
		total = s.Provisioning.Duration() + s.ImagePull.Duration() + stated(s.ModelLoad, defaultModelLoad)
	}
	for i := range in.NodePools {
		if in.NodePools[i].Name == p.NodePool {
			total += stated(in.NodePools[i].Provisioning, defaultNodeTime)
		}
	}
	return total
}

// buildNodePools makes the node pools, with nodes for all replicas at the start.
func buildNodePools(in *v1alpha1.Scenario, c *simulator.Config, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	var names []string
	for i := range in.NodePools {
		n := &in.NodePools[i]
		names = append(names, n.Name)
		c.NodePools = append(c.NodePools, simulator.NodePool{
			Name: n.Name, Accelerators: cmp.Or(int(n.AcceleratorsPerNode), defaultAccelerators), MaxNodes: int(n.MaxNodes),
			Provisioning: simulator.Delay{Mean: stated(n.Provisioning, defaultNodeTime), Variation: n.CoefficientOfVariation.Float()},
			FailureShare: n.FailureShare.Float(), IdleTimeout: stated(n.IdleTimeout, defaultNodeIdleTimeout),
		})
	}
	for i := range in.Pools {
		p, at := &in.Pools[i], path.Child("pools").Index(i)
		if p.NodePool == "" {
			continue
		}
		number := slices.Index(names, p.NodePool)
		if number < 0 {
			errs = append(errs, field.NotSupported(at.Child("nodePool"), p.NodePool, names))
			continue
		}
		c.Pools[i].NodePool, c.Pools[i].Accelerators = number+1, int(p.TensorParallelism)
		if has := c.NodePools[number].Accelerators; int(p.TensorParallelism) > has {
			errs = append(errs, field.Invalid(at.Child("tensorParallelism"), p.TensorParallelism, fmt.Sprintf(
				"a replica takes its accelerators on one node, and a node of %s has %d", p.NodePool, has)))
		}
	}
	if len(errs) > 0 {
		return errs
	}
	for i := range in.NodePools {
		errs = append(errs, sizeNodePool(in, i, c, path.Child("nodePools").Index(i))...)
	}
	return errs
}

// sizeNodePool says how many nodes there are at the start.
func sizeNodePool(in *v1alpha1.Scenario, pool int, c *simulator.Config, path *field.Path) field.ErrorList {
	n := &in.NodePools[pool]
	needs, used := nodesAtStart(pool, c)
	switch {
	case !used:
		return field.ErrorList{field.Invalid(path.Child("name"), n.Name, "has no effect: no pool names it as its nodePool")}
	case needs > int(n.MaxNodes):
		return field.ErrorList{field.Invalid(path.Child("maxNodes"), n.MaxNodes, fmt.Sprintf("the replicas of the pools need %d nodes at the start", needs))}
	case n.Nodes != nil && int(*n.Nodes) < needs:
		return field.ErrorList{field.Invalid(path.Child("nodes"), *n.Nodes, fmt.Sprintf("the replicas of the pools need %d nodes at the start", needs))}
	}
	c.NodePools[pool].Nodes = needs
	if n.Nodes != nil {
		c.NodePools[pool].Nodes = int(*n.Nodes)
	}
	return nil
}

// nodesAtStart is how many nodes of a pool the replicas take at the start, each the first
// with enough free accelerators, and whether any pool names the node pool.
func nodesAtStart(pool int, c *simulator.Config) (needs int, used bool) {
	var free []int
	for i := range c.Pools {
		p := &c.Pools[i]
		if p.NodePool != pool+1 {
			continue
		}
		used = true
		for range p.Replicas {
			at := slices.IndexFunc(free, func(n int) bool { return n >= p.Accelerators })
			if at < 0 {
				at = len(free)
				free = append(free, c.NodePools[pool].Accelerators)
			}
			free[at] -= p.Accelerators
		}
	}
	return len(free), used
}
