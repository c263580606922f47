// SPDX-License-Identifier: Apache-2.0

package native

import (
	"fmt"
	"math"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/parameters"
)

// A Spec is a routing policy as a user writes it.
type Spec struct {
	// Policy is one of Policies.
	Policy string
	// Parameters are those of the policy; most have none.
	Parameters map[string]string
	// Mode is what a weighted policy makes of its weights: ModeEPP or
	// ModeNormalised; empty is ModeEPP.
	Mode string
	// Scorers are what a weighted policy adds up. There must be one.
	Scorers []Scorer
	// TieBreak is how a policy chooses among equals: tieRandom, tieFirst or
	// tieRotate; empty is tieRandom.
	TieBreak string
}

// A Scorer is one term of a weighted sum.
type Scorer struct {
	// Name is one of Scorers.
	Name   string
	Weight float64
	// Parameters are the scorer's own; what is not stated has its default.
	Parameters map[string]string
}

// The modes of a weighted policy.
const (
	// ModeEPP takes weights as they are, 0 and negative ones too, as the EPP does.
	ModeEPP = "epp"
	// ModeNormalised divides weights by their sum, and refuses those that are not
	// greater than 0 and scorers that stand there twice.
	ModeNormalised = "normalised"
)

// The ways to choose among equals.
const (
	// tieRandom draws one, each as likely.
	tieRandom = "random"
	// tieFirst takes the one with the lowest number.
	tieFirst = "first"
	// tieRotate takes them in turn.
	tieRotate = "rotate"
)

// A Config is a Spec without faults. It is immutable.
type Config struct {
	make func(b *builder) chooser
	ties string
}

// Load checks a Spec. Errors have the paths of its fields under path, spelled as
// in JSON; all errors that can be found are returned at once.
func Load(spec Spec, path *field.Path) (*Config, field.ErrorList) {
	c := &Config{ties: spec.TieBreak}
	var errs field.ErrorList
	if c.ties == "" {
		c.ties = tieRandom
	}
	errs = append(errs, oneOf(path.Child("tieBreak"), c.ties, tieRandom, tieFirst, tieRotate)...)
	at := slices.IndexFunc(policies, func(p policyType) bool { return p.name == spec.Policy })
	if at < 0 {
		return nil, append(errs, parameters.Unknown(path.Child("policy"), spec.Policy, "policy", Policies()))
	}
	r := newReader(spec.Parameters, path.Child("parameters"))
	c.make = policies[at].read(r, &spec, path)
	if errs = append(errs, r.done()...); len(errs) > 0 {
		return nil, errs
	}
	return c, nil
}

// readWeighted reads a weighted policy.
func readWeighted(r *reader, spec *Spec, path *field.Path) func(*builder) chooser {
	mode := spec.Mode
	if mode == "" {
		mode = ModeEPP
	}
	r.errs = append(r.errs, oneOf(path.Child("mode"), mode, ModeEPP, ModeNormalised)...)
	at := path.Child("scorers")
	if len(spec.Scorers) == 0 {
		r.errs = append(r.errs, field.Required(at, "must be at least one scorer"))
	}
	w := weightedSpec{}
	for i, s := range spec.Scorers {
		made, errs := readScorer(&s, at.Index(i))
		r.errs = append(r.errs, errs...)
		r.errs = append(r.errs, checkWeight(s.Weight, mode, at.Index(i).Child("weight"))...)
		if mode == ModeNormalised && slices.Contains(w.names, s.Name) {
			r.errs = append(r.errs, field.Duplicate(at.Index(i).Child("name"), s.Name))
		}
		w.names, w.weights, w.scorers = append(w.names, s.Name), append(w.weights, s.Weight), append(w.scorers, made)
	}
	w.normalised = mode == ModeNormalised
	return w.build
}

func checkWeight(weight float64, mode string, at *field.Path) field.ErrorList {
	switch {
	case math.IsNaN(weight) || math.IsInf(weight, 0):
		return field.ErrorList{field.Invalid(at, fmt.Sprint(weight), "must be a number")}
	case mode == ModeNormalised && weight <= 0:
		return field.ErrorList{field.Invalid(at, weight, "must be greater than 0, as weights are normalised")}
	}
	return nil
}

func readScorer(s *Scorer, path *field.Path) (func(*builder) scorer, field.ErrorList) {
	at := slices.IndexFunc(scorers, func(t scorerType) bool { return t.name == s.Name })
	if at < 0 {
		return nil, field.ErrorList{parameters.Unknown(path.Child("name"), s.Name, "scorer", Scorers())}
	}
	r := newReader(s.Parameters, path.Child("parameters"))
	made := scorers[at].read(r)
	return made, r.done()
}

func oneOf(at *field.Path, value string, allowed ...string) field.ErrorList {
	if slices.Contains(allowed, value) {
		return nil
	}
	return field.ErrorList{field.NotSupported(at, value, allowed)}
}
