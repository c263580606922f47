// SPDX-License-Identifier: Apache-2.0

package epp

import "k8s.io/apimachinery/pkg/util/validation/field"

const (
	fcfsOrderingPolicyType         = "fcfs-ordering-policy"
	globalStrictFairnessPolicyType = "global-strict-fairness-policy"
	staticUsageLimitPolicyType     = "static-usage-limit-policy"

	edfOrderingPolicyType         = "edf-ordering-policy"
	sloDeadlineOrderingPolicyType = "slo-deadline-ordering-policy"
	roundRobinFairnessPolicyType  = "round-robin-fairness-policy"
	programAwareFairnessType      = "program-aware-fairness"
)

// The EPP makes these policies whether or not flow control is on.
var (
	fcfsOrderingPolicy = pluginType{
		name:      fcfsOrderingPolicyType,
		roles:     flowControlRole | orderingRole,
		since:     gie14,
		treatment: treatFlowControl,
	}
	globalStrictFairnessPolicy = pluginType{
		name:      globalStrictFairnessPolicyType,
		roles:     flowControlRole | fairnessRole,
		since:     gie14,
		treatment: treatFlowControl,
	}
	staticUsageLimitPolicy = pluginType{
		name:       staticUsageLimitPolicyType,
		roles:      flowControlRole | usageLimitRole,
		since:      gie15,
		parameters: func() any { return &staticUsageLimitParameters{Threshold: 1} },
		treatment:  treatFlowControl,
	}
)

// The EPP makes these where they are listed; they have a say with flow control
// on.
var (
	edfOrderingPolicy         = flowControlPolicy("edf-ordering-policy", orderingRole, gie14, false)
	sloDeadlineOrderingPolicy = flowControlPolicy("slo-deadline-ordering-policy", orderingRole, gie15, false)
	roundRobinFairnessPolicy  = flowControlPolicy("round-robin-fairness-policy", fairnessRole, gie14, false)
	sheddableEvictionFilter   = flowControlPolicy("sheddable-eviction-filter", 0, router10, true)
	priorityThenTimeOrder     = flowControlPolicy("priority-then-time-eviction-order-policy", 0, router10, true)

	softReflectiveCeiling = withParameters(flowControlPolicy("soft-reflective-ceiling-policy", usageLimitRole, router10, true),
		func() any { return &struct{}{} })
	priorityHoldback = withParameters(flowControlPolicy("priority-holdback-policy", usageLimitRole, router10, true),
		func() any { return &holdbackParameters{Shape: "linear", Domain: "rank", MaxCeiling: 1} })
	programAwareFairness = withParameters(flowControlPolicy("program-aware-fairness", fairnessRole, router09, false),
		func() any {
			return &programAwareParameters{
				Strategy:             leastAttainedService,
				EvictionTTLSeconds:   3600,
				EvictionSweepSeconds: 300,
				LASWeightService:     0.8,
				LASWeightHeadWait:    0.2,
				LASHalfLifeSeconds:   60,
			}
		})
)

func flowControlPolicy(name string, use roles, since release, alpha bool) pluginType {
	return pluginType{name: name, roles: flowControlRole | use, since: since, alpha: alpha, treatment: treatFlowControl}
}

func withParameters(t pluginType, parameters func() any) pluginType {
	t.parameters = parameters
	return t
}

// holdbackParameters say from which saturation on requests of lower priorities
// wait.
type holdbackParameters struct {
	Shape      string   `json:"shape"`
	Domain     string   `json:"domain"`
	MinCeiling *float64 `json:"minCeiling"`
	MaxCeiling float64  `json:"maxCeiling"`
}

func (p *holdbackParameters) check(l *loader, path *field.Path) {
	if p.Shape != "linear" {
		l.add(field.NotSupported(path.Child("shape"), p.Shape, []string{"linear"}))
	}
	if p.Domain != "rank" && p.Domain != "value" {
		l.add(field.NotSupported(path.Child("domain"), p.Domain, []string{"rank", "value"}))
	}
	if p.MaxCeiling <= 0 || p.MaxCeiling > 1 {
		l.add(field.Invalid(path.Child("maxCeiling"), p.MaxCeiling, "must be greater than 0 and at most 1"))
	}
	switch at := path.Child("minCeiling"); {
	case p.MinCeiling == nil:
		l.add(field.Required(at, "must be at least 0 and less than maxCeiling"))
	case *p.MinCeiling < 0 || *p.MinCeiling >= min(p.MaxCeiling, 1):
		l.add(field.Invalid(at, *p.MinCeiling, "must be at least 0 and less than maxCeiling"))
	}
}

// programAwareParameters weigh what a program has been served against how long
// it waits.
type programAwareParameters struct {
	Strategy             string  `json:"strategy"`
	EvictionTTLSeconds   float64 `json:"evictionTtlSeconds"`
	EvictionSweepSeconds float64 `json:"evictionSweepSeconds"`
	LASWeightService     float64 `json:"lasWeightService"`
	LASWeightHeadWait    float64 `json:"lasWeightHeadWait"`
	LASHalfLifeSeconds   float64 `json:"lasHalfLifeSeconds"`
}

const leastAttainedService = "las"

func (p *programAwareParameters) check(l *loader, path *field.Path) {
	if p.Strategy == "" {
		p.Strategy = leastAttainedService
	}
	if p.Strategy != leastAttainedService {
		l.add(field.NotSupported(path.Child("strategy"), p.Strategy, []string{leastAttainedService}))
	}
	for _, number := range []struct {
		name  string
		value float64
	}{
		{"evictionTtlSeconds", p.EvictionTTLSeconds}, {"lasWeightService", p.LASWeightService},
		{"lasWeightHeadWait", p.LASWeightHeadWait}, {"lasHalfLifeSeconds", p.LASHalfLifeSeconds},
	} {
		if number.value < 0 {
			l.add(field.Invalid(path.Child(number.name), number.value, "must not be negative"))
		}
	}
	if p.EvictionSweepSeconds <= 0 {
		l.add(field.Invalid(path.Child("evictionSweepSeconds"), p.EvictionSweepSeconds, "must be greater than 0"))
	}
}

type staticUsageLimitParameters struct {
	// Threshold is the saturation from which requests wait.
	Threshold float64 `json:"threshold"`
}

func treatFlowControl(*Config, *Cluster, *plugin) (Treatment, string) {
	return NoEffect, "flow control is off"
}
