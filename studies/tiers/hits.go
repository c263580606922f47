// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"

	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/simulation"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// hits are the shares of prompt tokens that were found where, and what else a
// simulation told of it.
type hits struct {
	gpu, cpu, storage float64
	// ttftMs and ttftP90Ms are of all requests, loadMs is the mean wait of those
	// that loaded something.
	ttftMs, ttftP90Ms, loadMs float64
	// loaded, thrashed and refused are blocks, of all tiers together.
	loaded, thrashed, refused int64
}

func (h hits) all() float64 { return h.gpu + h.cpu + h.storage }

// simulate runs one simulation, in which every request must complete, and none
// may find more than a cache without bounds would have.
func simulate(config simulator.Config, most float64) (hits, error) {
	o, err := simulation.Run(context.Background(), config)
	if err != nil {
		return hits{}, err
	}
	var h hits
	var prompt, gpu, arrived, completed int64
	var tiers [simulator.TierKinds]int64
	var ttft, load stats.Histogram
	for _, c := range o.Cells {
		arrived, completed = arrived+c.Arrived, completed+c.Completed
		prompt, gpu = prompt+c.PromptTokens, gpu+c.CachedTokens
		for kind, tokens := range c.TierTokens {
			tiers[kind] += tokens
		}
		ttft.Merge(&c.TTFT)
		load.Merge(&c.KVLoad)
	}
	share := func(tokens int64) float64 { return float64(tokens) / float64(prompt) }
	h.gpu, h.cpu, h.storage = share(gpu), share(tiers[simulator.CPUTier]), share(tiers[simulator.StorageTier])
	h.ttftMs, h.ttftP90Ms, h.loadMs = ttft.Mean()/1e6, ttft.Quantile(0.9)/1e6, load.Mean()/1e6
	for _, r := range o.Replicas {
		for _, t := range r.Tiers {
			h.loaded += t.LoadedBlocks
			h.thrashed += t.ThrashedBlocks
			h.refused += t.RefusedBlocks
		}
	}
	if completed != arrived {
		return h, fmt.Errorf("%d of %d requests completed", completed, arrived)
	}
	// What is left of a sum of shares may be a little above the share of the sum.
	if h.all() > most+1e-12 {
		return h, fmt.Errorf("found %.6f of the prompt tokens, more than the %.6f of a cache without bounds", h.all(), most)
	}
	return h, nil
}
