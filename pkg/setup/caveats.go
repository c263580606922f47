// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"fmt"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// caveats say, after a run, where a pool's step times went beyond what they
// are good for.
func (b *Builder) caveats(in *v1alpha1.Scenario, config *simulator.Config, outcome *simulator.Outcome, pool int) []string {
	var texts []string
	if in.Pools[pool].Latency.Model == v1alpha1.PhysicsModel {
		if text := b.physicsCaveat(in, pool, meanPrefill(outcome, pool)); text != "" {
			texts = append(texts, text)
		}
	}
	if timer, ok := config.Pools[pool].Timer.(latency.Extrapolator); ok && timer.Extrapolated() > 0 {
		texts = append(texts, fmt.Sprintf("%d steps were outside the measured range of the table", timer.Extrapolated()))
	}
	return texts
}

func (b *Builder) physicsCaveat(in *v1alpha1.Scenario, pool, promptTokens int) string {
	catalogue, _ := b.catalogue(in.Catalogue, nil)
	instance, _ := buildInstance(&in.Pools[pool], catalogue, nil)
	return instance.PhysicsNote(promptTokens)
}

// meanPrefill is the mean number of prompt tokens that a pool computed of a
// request, those of the cache left out.
func meanPrefill(outcome *simulator.Outcome, pool int) int {
	var tokens, requests int64
	for i := range outcome.Cells {
		if c := &outcome.Cells[i]; c.Pool == pool {
			tokens += c.PromptTokens - c.CachedTokens
			requests += c.Queueing.Count()
		}
	}
	if requests == 0 {
		return 0
	}
	return int(tokens / requests)
}
