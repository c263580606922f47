// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/workload"
)

func buildSessions(in *v1alpha1.Sessions, closedLoop bool, path *field.Path) (*workload.Sessions, field.ErrorList) {
	if in == nil {
		return nil, nil
	}
	if errs := validateLengthFields(&in.Turns, path.Child("turns")); len(errs) > 0 {
		return nil, errs
	}
	s := &workload.Sessions{
		AfterAnswer: closedLoop || in.ThinkTime != nil,
		Turns:       buildLengths(in.Turns),
		Context:     workload.Context(in.Context),
		Order:       workload.Order(in.Order),

		PromptGrowth:    in.PromptGrowth.Float(),
		AnswerVariation: in.AnswerVariation.Float(),
	}
	if in.Condense != nil {
		s.CondenseEvery, s.CondenseExponent = int(in.Condense.Every), in.Condense.Exponent.Float()
	}
	if in.MaxTokens != nil {
		s.MaxTokens = int(*in.MaxTokens)
	}
	if in.Concurrent != nil {
		s.Concurrent = int(*in.Concurrent)
	}
	if in.ThinkTime != nil {
		think := buildDurations(in.ThinkTime)
		s.ThinkTime = &think
	}
	var toolErrs, branchErrs field.ErrorList
	s.Tools, toolErrs = buildTools(in.Tools, path.Child("tools"))
	s.Branches, branchErrs = buildBranches(in.Branches, path.Child("branches"))
	return s, append(toolErrs, branchErrs...)
}
