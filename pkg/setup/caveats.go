// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"fmt"
	"time"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// caveats say, after a run, where a pool's step times went beyond what they
// are good for.
func (b *Builder) caveats(in *v1alpha1.Scenario, config *simulator.Config, outcome *simulator.Result, pool int) []string {
	var texts []string
	if in.Pools[pool].Latency.Model == v1alpha1.PhysicsModel {
		if text := b.physicsCaveat(in, pool, meanPrefill(outcome, pool)); text != "" {
			texts = append(texts, text)
		}
	}
	if timer, ok := config.Pools[pool].Timer.(latency.Extrapolator); ok && timer.Extrapolated() > 0 {
		texts = append(texts, fmt.Sprintf("%d steps were outside the measured range of the table", timer.Extrapolated()))
	}
	if text := missingWay(&in.Pools[pool], outcome, pool); text != "" {
		texts = append(texts, text)
	}
	return texts
}

// missingWay says that times to first token are so short that the way of a request to the
// engine would be a part of them that counts, and that the pool states no cost of it.
func missingWay(in *v1alpha1.Pool, outcome *simulator.Result, pool int) string {
	if in.RequestCost != nil {
		return ""
	}
	var ttft stats.Histogram
	for i := range outcome.Cells {
		if c := &outcome.Cells[i]; c.Pool == pool {
			ttft.Merge(&c.TTFT)
		}
	}
	if median := time.Duration(ttft.Quantile(0.5)); ttft.Count() > 0 && median < latency.WithoutAWayMatters {
		return fmt.Sprintf("half of the first tokens come within %v, without any time for tokeniser, HTTP and gateway: state requestCost", median.Round(time.Millisecond/10))
	}
	return ""
}

func (b *Builder) physicsCaveat(in *v1alpha1.Scenario, pool, promptTokens int) string {
	catalogue, _ := b.catalogue(in.Catalogue, nil)
	instance, _ := buildInstance(&in.Pools[pool], catalogue, nil)
	return instance.PhysicsNote(promptTokens)
}

// meanPrefill is the mean number of prompt tokens that a pool computed of a
// request, those of the cache left out.
func meanPrefill(outcome *simulator.Result, pool int) int {
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
