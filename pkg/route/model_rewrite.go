// SPDX-License-Identifier: Apache-2.0

package route

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// A ModelRewrite is a rule of an InferenceModelRewrite for one name of a model.
type ModelRewrite struct {
	Name string
	// Pool is the InferencePool, and At where it stands.
	Pool string
	At   *field.Path
	// Model is the name; empty for any.
	Model   string
	Targets []Target
}

// A Target is a model with its weight; nil where it states none.
type Target struct {
	Model  string
	Weight *int32
}

type rewriteSpec struct {
	PoolRef struct {
		Group string `json:"group"`
		Kind  string `json:"kind"`
		Name  string `json:"name"`
	} `json:"poolRef"`
	Rules []rewriteRule `json:"rules"`
}

type rewriteRule struct {
	Matches []struct {
		Model struct {
			Type  string `json:"type"`
			Value string `json:"value"`
		} `json:"model"`
	} `json:"matches"`
	Targets []struct {
		ModelRewrite string `json:"modelRewrite"`
		Weight       *int32 `json:"weight"`
	} `json:"targets"`
}

// ReadModelRewrites reads the InferenceModelRewrites in a text, in the order in which an EPP asks
// them.
func ReadModelRewrites(text []byte, at *field.Path) ([]ModelRewrite, field.ErrorList) {
	documents, errs := find(text, "InferenceModelRewrite", at)
	var all []ModelRewrite
	for i := range documents {
		d := &documents[i]
		var spec rewriteSpec
		if es := d.decode(&spec, at); len(es) > 0 {
			errs = append(errs, es...)
			continue
		}
		for j := range spec.Rules {
			of, es := spec.Rules[j].read(at.Child("spec", "rules").Index(j))
			errs = append(errs, es...)
			for _, r := range of {
				r.Name = uniqueName(d.Metadata.Name, func(name string) bool {
					return slices.ContainsFunc(all, func(r ModelRewrite) bool { return r.Name == name })
				})
				r.Pool, r.At = spec.PoolRef.Name, at.Child("spec", "poolRef", "name")
				all = append(all, r)
			}
		}
	}
	return all, errs
}

// read returns a rule for each of the names that it matches, or one for any.
func (r *rewriteRule) read(at *field.Path) ([]ModelRewrite, field.ErrorList) {
	var errs field.ErrorList
	var targets []Target
	for i, t := range r.Targets {
		weight := t.Weight
		if weight != nil && (*weight < 1 || *weight > maxWeight) {
			errs = append(errs, field.Invalid(at.Child("targets").Index(i).Child("weight"), *weight, "must be between 1 and 1000000"))
		}
		targets = append(targets, Target{t.ModelRewrite, weight})
	}
	if len(targets) == 0 {
		errs = append(errs, field.Required(at.Child("targets"), "state the models that serve the requests"))
	}
	if len(r.Matches) == 0 {
		return []ModelRewrite{{Targets: targets}}, errs
	}
	var all []ModelRewrite
	for i, m := range r.Matches {
		if m.Model.Type != "" && m.Model.Type != "Exact" {
			errs = append(errs, field.NotSupported(at.Child("matches").Index(i).Child("model", "type"), m.Model.Type, []string{"Exact"}))
		}
		all = append(all, ModelRewrite{Model: m.Model.Value, Targets: targets})
	}
	return all, errs
}
