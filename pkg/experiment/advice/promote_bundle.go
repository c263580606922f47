// SPDX-License-Identifier: Apache-2.0

package advice

import (
	"encoding/json"
	"fmt"
	"strings"

	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/bundle"
)

// BundleName is that of the file, or the key of a ConfigMap, with a promoted bundle.
const BundleName = "bundle.yaml"

// PromotedBundle is a policy that evolved, ready to be rolled out.
type PromotedBundle struct {
	// Point is whose it is, Policy its name, and Model that of the router, where there are
	// several.
	Point         int
	Policy, Model string
	// Text is the document in YAML. Line are the policies that it comes from and itself.
	Text string
	Line []study.Ancestor
	// Elsewhere are the values of the point outside the bundle.
	Elsewhere []Setting
}

// PromoteBundle writes out the policy of the best point, where policies evolve.
func PromoteBundle(s *study.Study) (*PromotedBundle, error) {
	best, ok, err := pointToRollOut(s)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fmt.Errorf("%w: no point has figures", ErrNothingToPromote)
	}
	evolving := s.Plan.Evolving()
	p := &PromotedBundle{Point: best, Line: s.Lineage(best), Model: evolving.RouterModel()}
	for _, setting := range Settings(s, best) {
		if setting.Path == evolving.Path {
			p.Policy = setting.Value
		} else {
			p.Elsewhere = append(p.Elsewhere, setting)
		}
	}
	b, err := s.Bundle(best)
	if err != nil {
		return nil, err
	}
	if b == nil {
		return nil, fmt.Errorf("%w: the search does not know how %s came about", ErrNothingToPromote, s.Points()[best])
	}
	p.Text, err = bundleYAML(b)
	return p, err
}

// bundleYAML is a bundle as people read it.
func bundleYAML(b *bundle.Bundle) (string, error) {
	raw, err := json.Marshal(b)
	if err != nil {
		return "", err
	}
	text, err := yaml.JSONToYAML(raw)
	return string(text), err
}

// Changes say in lines how the policy came about, a step each.
func (p *PromotedBundle) Changes() []string {
	var lines []string
	for _, a := range p.Line {
		words := strings.Join(a.Changes, "; ")
		if a.Parent == "" {
			words = "the scenario's own policy"
		}
		lines = append(lines, fmt.Sprintf("%s: %s", a.Policy, words))
	}
	return lines
}

// policyAt is the bundle of a model's router at a point, with what it was made of; nil where
// that did not evolve.
func policyAt(s *study.Study, id int, model string) (*bundle.Bundle, error) {
	if evolving := s.Plan.Evolving(); evolving == nil || evolving.RouterModel() != model {
		return nil, nil
	}
	return s.Bundle(id)
}

// ArchivedPolicy is a policy of an archive.
type ArchivedPolicy struct {
	Point  int            `json:"point"`
	Policy string         `json:"policy"`
	Bundle *bundle.Bundle `json:"bundle"`
}

// Archive are the policies of some points.
func Archive(s *study.Study, points []int) ([]ArchivedPolicy, error) {
	var all []ArchivedPolicy
	for _, id := range points {
		b, err := s.Bundle(id)
		if err != nil {
			return nil, err
		}
		if b != nil {
			all = append(all, ArchivedPolicy{id, experiment.PolicyValue(s.Points()[id].Policy), b})
		}
	}
	return all, nil
}
