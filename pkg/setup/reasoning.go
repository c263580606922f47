// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// buildReasoning sets what a client's answers begin with.
func buildReasoning(in *v1alpha1.Reasoning, client *workload.Client, path *field.Path) field.ErrorList {
	if in == nil {
		return nil
	}
	steps, errs := buildAmounts(in.Steps, workload.MaxSteps, path.Child("steps"))
	tokens, es := buildAmounts(in.TokensPerStep, workload.MaxTokens, path.Child("tokensPerStep"))
	client.Reasoning = &workload.Reasoning{Steps: steps, TokensPerStep: tokens, Kept: in.Context == v1alpha1.KeptReasoning}
	return append(errs, es...)
}
