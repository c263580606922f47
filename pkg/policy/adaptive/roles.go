// SPDX-License-Identifier: Apache-2.0

package adaptive

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/parameters"
)

// Role is what a scorer looks at.
type Role int

// The roles.
const (
	OtherRole Role = iota
	PrefixRole
	LoadRole
)

// driven are the scorers of a profile whose weights change together.
type driven struct {
	profile      string
	prefix, load group
}

// group are the scorers of a role. Their shares of its weight stay.
type group struct {
	at      []int // numbers of the router's weights
	weights []float64
	sum     float64
}

func (g *group) add(i int, weight float64) {
	g.at, g.weights, g.sum = append(g.at, i), append(g.weights, weight), g.sum+weight
}

// set gives the group a weight. What the group has at the start gives each scorer exactly
// what it has at the start.
func (g *group) set(router policy.Weighted, weight float64) {
	for j, i := range g.at {
		own := g.weights[j]
		if weight != g.sum {
			own = weight * (own / g.sum)
		}
		router.SetWeight(i, own)
	}
}

// drivenBy finds the scorers that a configuration names, or those that have the roles by
// default, in the profiles of a router.
func (c *Config) drivenBy(all []policy.ScorerWeight, role func(policy.ScorerWeight) Role) ([]driven, field.ErrorList) {
	if len(all) == 0 {
		return nil, field.ErrorList{field.Invalid(c.path.Child("policy"), c.law, "the router has no weights: take the policy weighted, or an EPP profile with scorers")}
	}
	errs := c.unknown(all)
	if len(errs) > 0 {
		return nil, errs
	}
	var found []driven
	for i, w := range all {
		if c.profile != "" && w.Profile != c.profile {
			continue
		}
		at := slices.IndexFunc(found, func(d driven) bool { return d.profile == w.Profile })
		if at < 0 {
			at, found = len(found), append(found, driven{profile: w.Profile})
		}
		switch c.roleOf(w, role) {
		case PrefixRole:
			found[at].prefix.add(i, w.Weight)
		case LoadRole:
			found[at].load.add(i, w.Weight)
		}
	}
	return c.complete(found)
}

// unknown says which names are of nothing.
func (c *Config) unknown(all []policy.ScorerWeight) field.ErrorList {
	var scorers, profiles []string
	for _, w := range all {
		scorers, profiles = append(scorers, w.Scorer), append(profiles, w.Profile)
	}
	scorers, profiles = unique(scorers), unique(profiles)
	var errs field.ErrorList
	at := c.path.Child("parameters")
	for _, name := range c.prefix {
		if !slices.Contains(scorers, name) {
			errs = append(errs, parameters.Unknown(at.Key("prefix"), name, "scorer", scorers))
		}
		if slices.Contains(c.load, name) {
			errs = append(errs, field.Invalid(at.Key("load"), name, "is in prefix too"))
		}
	}
	for _, name := range c.load {
		if !slices.Contains(scorers, name) {
			errs = append(errs, parameters.Unknown(at.Key("load"), name, "scorer", scorers))
		}
	}
	if c.profile != "" && !slices.Contains(profiles, c.profile) {
		errs = append(errs, parameters.Unknown(at.Key("profile"), c.profile, "profile", profiles))
	}
	return errs
}

func unique(names []string) []string {
	slices.Sort(names)
	return slices.Compact(names)
}

// roleOf is the role that a configuration gives a scorer.
func (c *Config) roleOf(w policy.ScorerWeight, role func(policy.ScorerWeight) Role) Role {
	switch {
	case slices.Contains(c.prefix, w.Scorer):
		return PrefixRole
	case slices.Contains(c.load, w.Scorer):
		return LoadRole
	case role(w) == PrefixRole && c.prefix == nil:
		return PrefixRole
	case role(w) == LoadRole && c.load == nil:
		return LoadRole
	}
	return OtherRole
}

// complete drops profiles without one of the roles, and says what is wrong with the rest.
func (c *Config) complete(found []driven) ([]driven, field.ErrorList) {
	found = slices.DeleteFunc(found, func(d driven) bool { return len(d.prefix.at) == 0 || len(d.load.at) == 0 })
	at := c.path.Child("parameters")
	if len(found) == 0 {
		return nil, field.ErrorList{field.Required(at.Key("prefix"), "no profile has both a scorer that looks at prefixes and one that looks at load: name them in prefix and load")}
	}
	first := &found[0]
	for i := range found {
		d := &found[i]
		if !(d.prefix.sum > 0 && d.load.sum > 0) {
			return nil, field.ErrorList{field.Invalid(at, d.profile, fmt.Sprintf(
				"the weights of prefixes are %g in sum and those of load %g: both must be greater than 0 at the start", d.prefix.sum, d.load.sum))}
		}
		if d.prefix.sum != first.prefix.sum || d.load.sum != first.load.sum {
			return nil, field.ErrorList{field.Required(at.Key("profile"), fmt.Sprintf(
				"profile %s starts at %g:%g and profile %s at %g:%g: name the one whose weights change", first.profile, first.prefix.sum, first.load.sum, d.profile, d.prefix.sum, d.load.sum))}
		}
	}
	return found, nil
}
