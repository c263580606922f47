// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// buildPrefix sets what a client's prompts begin with.
func buildPrefix(in *v1alpha1.Prefix, client *workload.Client, path *field.Path) field.ErrorList {
	if in == nil {
		return nil
	}
	client.PrefixGroup, client.PrefixTokens = in.Group, int(in.Tokens)
	if g := in.Groups; g != nil {
		client.PrefixGroups = &workload.PrefixGroups{
			Count: int(g.Count), ZipfExponent: g.ZipfExponent.Float(), Correlation: g.Correlation.Float(),
			DriftPeriod: g.DriftPeriod.Duration(),
		}
	}
	if in.Examples == nil {
		return nil
	}
	e := in.Examples
	path = path.Child("examples")
	count, errs := buildAmounts(e.Count, min(workload.MaxExamples, int(e.Pool)), path.Child("count"))
	tokens, es := buildAmounts(e.Tokens, workload.MaxTokens, path.Child("tokens"))
	client.Examples = &workload.Examples{Pool: int(e.Pool), Count: count, Tokens: tokens, Sorted: e.Order == v1alpha1.SortedExamples}
	return append(errs, es...)
}
