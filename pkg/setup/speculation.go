// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// maxDrafts is how many tokens an engine drafts in a step at most.
const maxDrafts = 16

// buildSpeculation is the speculative decoding of a pool; nil where it has none.
func buildSpeculation(in *v1alpha1.Pool, path *field.Path) (*simulator.Speculation, field.ErrorList) {
	s := in.Engine.Speculation
	if s == nil {
		return nil, nil
	}
	path = path.Child("engine", "speculation")
	if errs := validateSpeculation(in, path); len(errs) > 0 {
		return nil, errs
	}
	out := &simulator.Speculation{Tokens: int(s.Tokens)}
	if hasDraftModel(in) {
		out.Lookahead = out.Tokens
	}
	for _, share := range s.Acceptance {
		out.Acceptance = append(out.Acceptance, share.Float())
	}
	return out, nil
}

// hasDraftModel says whether a pool's drafts are computed, by a layer with weights and KV.
func hasDraftModel(in *v1alpha1.Pool) bool {
	return in.Engine.Speculation != nil && in.Engine.Speculation.Method != v1alpha1.NGramSpeculation
}

func validateSpeculation(in *v1alpha1.Pool, path *field.Path) field.ErrorList {
	s := in.Engine.Speculation
	errs := append(validateDrafts(s, path), validateAcceptance(s, path.Child("acceptance"))...)
	if model := in.Latency.Model; model != "" && model != v1alpha1.RooflineModel {
		errs = append(errs, field.Forbidden(path, fmt.Sprintf(
			"goes with latency.model roofline: %s does not say how long a step takes that verifies drafts", model)))
	}
	if s.Method == v1alpha1.NGramSpeculation && in.Engine.AsynchronousScheduling == v1alpha1.Enabled {
		errs = append(errs, field.Forbidden(path.Child("method"),
			"NGram excludes asynchronousScheduling: Enabled, as in vLLM: the search needs the tokens of the step before"))
	}
	return errs
}

// validateDrafts reports faults of what is drafted, and of what it costs.
func validateDrafts(s *v1alpha1.Speculation, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	methods := []v1alpha1.SpeculationMethod{v1alpha1.NGramSpeculation, v1alpha1.EAGLESpeculation, v1alpha1.MTPSpeculation}
	searches := s.Method == v1alpha1.NGramSpeculation
	switch {
	case s.Method == "":
		errs = append(errs, field.Required(path.Child("method"), "there are NGram, EAGLE and MTP"))
	case !searches && s.Method != v1alpha1.EAGLESpeculation && s.Method != v1alpha1.MTPSpeculation:
		errs = append(errs, field.NotSupported(path.Child("method"), s.Method, methods))
	case searches && s.DraftMicroseconds != "":
		errs = append(errs, field.Forbidden(path.Child("draftMicroseconds"), "NGram has no draft model: set searchMicroseconds"))
	case !searches && s.SearchMicroseconds != "":
		errs = append(errs, field.Forbidden(path.Child("searchMicroseconds"), "goes with method NGram"))
	}
	if s.Tokens < 1 || s.Tokens > maxDrafts {
		errs = append(errs, field.Invalid(path.Child("tokens"), s.Tokens, fmt.Sprintf("must be from 1 to %d", maxDrafts)))
	}
	return errs
}

// validateAcceptance reports faults of the shares of accepted drafts by position.
func validateAcceptance(s *v1alpha1.Speculation, path *field.Path) field.ErrorList {
	if len(s.Acceptance) == 0 {
		return field.ErrorList{field.Required(path, fmt.Sprintf(
			"state a share for each of the %d tokens: vllm:spec_decode_num_accepted_tokens_per_pos ÷ vllm:spec_decode_num_drafts", s.Tokens))}
	}
	if len(s.Acceptance) != int(s.Tokens) {
		return field.ErrorList{field.Invalid(path, len(s.Acceptance), fmt.Sprintf("must have one share for each of the %d tokens", s.Tokens))}
	}
	var errs field.ErrorList
	for i, share := range s.Acceptance {
		switch {
		case share.Float() < 0 || share.Float() > 1:
			errs = append(errs, field.Invalid(path.Index(i), share, "must be from 0 to 1"))
		case i > 0 && share.Float() > s.Acceptance[i-1].Float():
			errs = append(errs, field.Invalid(path.Index(i), share, fmt.Sprintf(
				"must be at most %s, the share of the token before: this token is accepted only where that one is", s.Acceptance[i-1])))
		}
	}
	return errs
}

// withDrafts are the step times of a pool whose engine speculates: those of its roofline
// with what drafts cost.
func withDrafts(target latency.StepTimer, in *v1alpha1.Pool, instance latency.Instance) latency.StepTimer {
	s := in.Engine.Speculation
	switch {
	case !hasDraftModel(in):
		return latency.WithDraftSearch(target, microseconds(s.SearchMicroseconds))
	case s.DraftMicroseconds != "":
		return latency.WithDraftPasses(target, int(s.Tokens), microseconds(s.DraftMicroseconds))
	}
	c, _ := buildRoofline(in.Latency.Roofline, instance.DefaultRoofline(), nil) // it was built before
	return instance.WithDraftModel(target, c, int(s.Tokens))
}

// inMemory is a pool's instance in terms of its weights and KV, those of its drafts
// included.
func inMemory(in *v1alpha1.Pool, instance latency.Instance) latency.Instance {
	if hasDraftModel(in) {
		return instance.WithDraftLayer()
	}
	return instance
}

// draftTimes says what the times of a pool's drafts rest on.
func draftTimes(in *v1alpha1.Pool) string {
	s := in.Engine.Speculation
	switch {
	case s == nil:
		return ""
	case s.SearchMicroseconds != "":
		return fmt.Sprintf("; drafts: a search of %s µs for each request, given by you", s.SearchMicroseconds)
	case s.Method == v1alpha1.NGramSpeculation:
		return "; drafts: a search that takes no time"
	case s.DraftMicroseconds != "":
		return fmt.Sprintf("; drafts: %s µs for each token, given by you", s.DraftMicroseconds)
	default:
		return "; drafts: a roofline of one layer and the LM head for each token"
	}
}
