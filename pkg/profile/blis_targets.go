// SPDX-License-Identifier: Apache-2.0

package profile

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// blisGoals are the latency targets of SLO classes.
type blisGoals map[string]*v1alpha1.SLO

// blisGoals reads the targets by which inference-sim measures goodput, in ms.
func (c *converter) blisGoals(in *object) blisGoals {
	goals := blisGoals{}
	if in == nil {
		return goals
	}
	for _, class := range blisClasses {
		of := in.child(class)
		if of == nil {
			continue
		}
		target := func(name string) v1alpha1.PositiveDuration {
			if ms := of.number(name, 0, 0, maxYear*1000); ms > 0 {
				return spanPositive(ms / 1000)
			}
			return ""
		}
		slo := v1alpha1.SLO{Class: class, TTFT: target("ttft_ms"), TPOT: target("itl_ms"), E2E: target("e2e_ms")}
		of.done()
		if slo != (v1alpha1.SLO{Class: class}) {
			goals[class] = &slo
		}
	}
	in.done()
	return goals
}

// blisTargets takes over bounds of the time to first token: as targets of a class where
// all its clients have the same one, else of tenants where all theirs do.
func (c *converter) blisTargets(sources []*blisSource, goals blisGoals) {
	byClass := func(s *blisSource) string { return s.client.Class }
	byTenant := func(s *blisSource) string { return cmp.Or(s.client.Tenant, "default") }
	classes, odd := sharedTargets(sources, byClass)
	if odd == nil {
		for _, class := range slices.Sorted(maps.Keys(classes)) {
			c.classTarget(class, classes[class], goals)
		}
		return
	}
	tenants, odd := sharedTargets(sources, byTenant)
	if odd != nil {
		c.fault(field.Invalid(odd.in.at("slo_target_us"), string(span(odd.target)), fmt.Sprintf(
			"a target is of a class or of a tenant, and other clients of class %s, and of tenant %s, have others", byClass(odd), byTenant(odd))))
		return
	}
	for _, tenant := range slices.Sorted(maps.Keys(tenants)) {
		if target := tenants[tenant]; target > 0 {
			c.traffic.Workload.Tenants = append(c.traffic.Workload.Tenants, v1alpha1.Tenant{
				Name: tenant, SLO: &v1alpha1.LatencyTargets{TTFT: spanPositive(target)}})
		}
	}
}

// classTarget adds a target to those of a class, which may have another from
// goodput_slo_targets.
func (c *converter) classTarget(class string, target float64, goals blisGoals) {
	if target == 0 {
		return
	}
	goal := goals[class]
	if goal == nil {
		goal = &v1alpha1.SLO{Class: class}
		goals[class] = goal
	}
	switch ttft := spanPositive(target); {
	case goal.TTFT == "":
		goal.TTFT = ttft
	case goal.TTFT != ttft:
		c.note("class %s: the target of ttft is that of goodput_slo_targets, %s; requests state that of slo_target_us, %s, in the header %s", class, goal.TTFT, ttft, targetHeader)
	}
}

// sharedTargets returns the one target of each group of sources, or a source that has
// another one than the first of its group.
func sharedTargets(sources []*blisSource, group func(*blisSource) string) (targets map[string]float64, odd *blisSource) {
	targets = map[string]float64{}
	for _, s := range sources {
		target, known := targets[group(s)]
		if known && target != s.target {
			return nil, s
		}
		targets[group(s)] = s.target
	}
	return targets, nil
}

// blisSLOs writes the targets of the classes that requests have.
func (c *converter) blisSLOs(goals blisGoals) {
	clients := c.traffic.Workload.Clients
	for _, class := range slices.Sorted(maps.Keys(goals)) {
		if !slices.ContainsFunc(clients, func(client v1alpha1.Client) bool { return client.Class == class }) {
			c.note("goodput_slo_targets.%s: no client has this class, so its targets are left out", class)
			continue
		}
		c.traffic.SLOs = append(c.traffic.SLOs, *goals[class])
	}
}
