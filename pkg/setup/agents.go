// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/workload"
)

func buildTools(in *v1alpha1.Tools, path *field.Path) (*workload.Tools, field.ErrorList) {
	if in == nil {
		return nil, nil
	}
	calls, errs := buildAmounts(in.Calls, workload.MaxCalls, path.Child("calls"))
	result, es := buildAmounts(in.ResultTokens, workload.MaxTokens, path.Child("resultTokens"))
	return &workload.Tools{
		Probability: buildProbability(in.Probability), Calls: calls, Latency: buildDurations(&in.Latency), Result: result,
	}, append(errs, es...)
}

func buildBranches(in *v1alpha1.Branches, path *field.Path) (*workload.Branches, field.ErrorList) {
	if in == nil {
		return nil, nil
	}
	count, errs := buildAmounts(in.Count, workload.MaxBranches, path.Child("count"))
	b := &workload.Branches{Probability: buildProbability(in.Probability), Count: count}
	if in.InputTokens != nil {
		input, es := buildAmounts(*in.InputTokens, workload.MaxTokens, path.Child("inputTokens"))
		b.Input, errs = &input, append(errs, es...)
	}
	return b, errs
}

// buildProbability returns a probability, which is 1 where none is set.
func buildProbability(in v1alpha1.PositiveDecimal) float64 {
	if in == "" {
		return 1
	}
	return in.Float()
}
