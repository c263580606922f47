// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// buildMedia sets the media of a client's prompts.
func buildMedia(in []v1alpha1.Media, client *workload.Client, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i := range in {
		m, at := &in[i], path.Index(i)
		count, es := buildAmounts(m.Count, workload.MaxMedia, at.Child("count"))
		errs = append(errs, es...)
		tokens, es := buildAmounts(m.Tokens, workload.MaxTokens, at.Child("tokens"))
		errs = append(errs, es...)
		media := workload.Media{Kind: string(m.Kind), Probability: buildProbability(m.Probability), Count: count, Tokens: tokens}
		if m.Pool != nil {
			media.Pool = int(*m.Pool)
		}
		client.Media = append(client.Media, media)
	}
	return errs
}
