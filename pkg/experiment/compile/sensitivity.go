// SPDX-License-Identifier: Apache-2.0

package compile

import (
	"fmt"
	"maps"
	"math"
	"strconv"
	"strings"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/policy/epp/lint"
	"windtunnel.dev/windtunnel/pkg/policy/native"
	"windtunnel.dev/windtunnel/pkg/setup"
)

// sensitivity is what the scorers of a profile, or of a policy, can give a replica at
// most: those of prefixes together, and those of load.
type sensitivity struct {
	name         string
	prefix, load weightSum
}

// weightSum is a constant and terms that a sweep varies.
type weightSum struct {
	constant float64
	terms    []weightTerm
}

// weightTerm is a parameter of a sweep and what it counts, with the range of its
// values.
type weightTerm struct {
	name        string
	times       float64
	least, most float64
}

// sensitivitiesOf returns the sensitivities of a model's router in a variant, as the plan's
// parameters vary them.
func sensitivitiesOf(p *experiment.Plan, v *experiment.Variant, model string) []sensitivity {
	base := flatSensitivities(v.Scenario, model)
	// With all weights that vary at 1, and one of them at 2, sums differ by what
	// that one counts.
	ones := maps.Clone(v.Scenario)
	var weights []*experiment.Parameter
	for i := range p.Parameters {
		if q := &p.Parameters[i]; isWeight(q, model) && q.ExistsIn(v) && q.Set(ones, "1") == nil {
			weights = append(weights, q)
		}
	}
	if len(weights) == 0 {
		return base
	}
	sensitivities := flatSensitivities(ones, model)
	for _, q := range weights {
		changed := maps.Clone(ones)
		if q.Set(changed, "2") != nil {
			return base
		}
		with := flatSensitivities(changed, model)
		if len(with) != len(sensitivities) {
			return base
		}
		for i := range sensitivities {
			sensitivities[i].prefix.addTerm(q, with[i].prefix.constant)
			sensitivities[i].load.addTerm(q, with[i].load.constant)
		}
	}
	for i := range sensitivities {
		sensitivities[i].prefix.settle()
		sensitivities[i].load.settle()
	}
	return sensitivities
}

// isWeight reports whether a parameter is the weight of a scorer of a model's router.
func isWeight(p *experiment.Parameter, model string) bool {
	router := "router."
	if model != "" {
		router = "routers[" + model + "]."
	}
	return !p.IsWhole() && p.ValueKind.Numeric() && strings.HasPrefix(p.Path, router) && strings.HasSuffix(p.Path, "].weight")
}

// addTerm takes a parameter in where the sum with a 2 in its place differs from
// that with a 1.
func (s *weightSum) addTerm(p *experiment.Parameter, with float64) {
	if times := with - s.constant; times != 0 {
		least, most := parameterBounds(p)
		s.terms = append(s.terms, weightTerm{p.Name, times, least, most})
	}
}

// settle takes the ones of the terms out of the constant.
func (s *weightSum) settle() {
	for _, t := range s.terms {
		s.constant -= t.times
	}
}

// parameterBounds returns the least and the greatest of a numeric parameter's values.
func parameterBounds(p *experiment.Parameter) (least, most float64) {
	values := p.Values
	if p.Range != nil {
		values = []string{string(p.Range.Min), string(p.Range.Max)}
	}
	least, most = math.Inf(1), math.Inf(-1)
	for _, value := range values {
		v, err := strconv.ParseFloat(value, 64)
		if err == nil {
			least, most = min(least, v), max(most, v)
		}
	}
	return least, most
}

// flatSensitivities are those of a model's router in a scenario as it is.
func flatSensitivities(scenario experiment.Tree, model string) []sensitivity {
	typed, router, errs := setup.Decode(scenario, nil)
	if len(errs) > 0 {
		return nil
	}
	part, _ := partOf(typed, model)
	if part == nil {
		return nil
	}
	router = router.Of(part)
	if router.EPPConfig == nil {
		return nativeSensitivities(&part.Scenario.Router.Policies.Routing)
	}
	var sensitivities []sensitivity
	for _, w := range lint.ProfileWeights(router.EPPConfig) {
		sensitivities = append(sensitivities, sensitivity{"profile " + w.Profile, weightSum{constant: w.Prefix}, weightSum{constant: w.Load}})
	}
	return sensitivities
}

// nativeSensitivities are those of a policy that is no EPP's: one, if it adds up scores.
func nativeSensitivities(policy *v1alpha1.RoutingPolicy) []sensitivity {
	if len(policy.Scorers) == 0 {
		return nil
	}
	s := sensitivity{name: "policy " + policy.Policy}
	for _, scorer := range policy.Scorers {
		most := scorer.Weight.Float()
		if scorer.Name == "load-aware" {
			most /= 2
		}
		switch native.SubjectOf(scorer.Name) {
		case native.PrefixSubject:
			s.prefix.constant += most
		case native.LoadSubject:
			s.load.constant += max(most, 0)
		}
	}
	return []sensitivity{s}
}

// varied reports whether a sweep does.
func (s *sensitivity) varied() bool { return len(s.prefix.terms)+len(s.load.terms) > 0 }

// ratio is the greatest prefix over load; infinite where nothing looks at load.
func (s *sensitivity) ratio() float64 {
	_, prefix := s.prefix.bounds()
	load, _ := s.load.bounds()
	switch {
	case prefix <= 0:
		return 0
	case load <= 0:
		return math.Inf(1)
	}
	return prefix / load
}

// describe states the weights.
func (s *sensitivity) describe() string {
	switch {
	case s.varied():
		return fmt.Sprintf("%s: the sweep takes prefix/load up to %.4g", s.name, s.ratio())
	case s.load.constant <= 0:
		return fmt.Sprintf("%s: prefix weights of %.4g stand against none of load", s.name, s.prefix.constant)
	}
	return fmt.Sprintf("%s: prefix weights of %.4g over load weights of %.4g are %.4g", s.name, s.prefix.constant, s.load.constant, s.ratio())
}

// bounds are the least and the greatest that the sum can be.
func (s *weightSum) bounds() (least, most float64) {
	least, most = s.constant, s.constant
	for _, t := range s.terms {
		least += min(t.times*t.least, t.times*t.most)
		most += max(t.times*t.least, t.times*t.most)
	}
	return least, most
}

// String writes the sum as an expression over the parameters.
func (s *weightSum) String() string {
	var parts []string
	for _, t := range s.terms {
		if t.times == 1 {
			parts = append(parts, t.name)
		} else {
			parts = append(parts, fmt.Sprintf("%.6g * %s", t.times, t.name))
		}
	}
	if s.constant != 0 || len(parts) == 0 {
		parts = append(parts, fmt.Sprintf("%.6g", s.constant))
	}
	return strings.Join(parts, " + ")
}
