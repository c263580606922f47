// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"

	"windtunnel.dev/windtunnel/internal/figure"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/result"
)

// ceilings computes what caches can give at most, for each result; nil unless the user
// asks for it.
func (o *runOptions) ceilings(ctx context.Context, run compiledRun, documents []*result.Document) ([]*execute.Ceiling, error) {
	if !o.ceiling {
		return nil, nil
	}
	var all []*execute.Ceiling
	for _, d := range documents {
		c, err := execute.FindCeiling(ctx, run.Plan, run.Traces, d.Seed)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

// printCeilings holds what the caches gave against what they can give at most.
func printCeilings(w io.Writer, ceilings []*execute.Ceiling, documents []*result.Document) {
	for i, c := range ceilings {
		if c.Unknown != "" {
			fmt.Fprintf(w, "Cache hits, seed %d: no ceiling is known, since %s.\n", c.Seed, c.Unknown)
			continue
		}
		found := foundTokens(documents[i])
		fmt.Fprintf(w, "Cache hits, seed %d: caches gave %s of the prompt tokens. ", c.Seed, shareOf(found, c.PromptTokens))
		if c.ClairvoyantTokens == nil {
			fmt.Fprintf(w, "Caches without a limit give %s at most, so the run reached %s of that. A ceiling for caches of this size is not known, since %s.\n",
				shareOf(c.UnboundedTokens, c.PromptTokens), shareOf(found, c.UnboundedTokens), c.Reordered)
			continue
		}
		fmt.Fprintf(w, "With %d KV blocks no router gets more than %s, and without a limit %s: the run reached %s of what is possible.\n",
			*c.Blocks, shareOf(*c.ClairvoyantTokens, c.PromptTokens), shareOf(c.UnboundedTokens, c.PromptTokens), shareOf(found, *c.ClairvoyantTokens))
	}
}

// foundTokens are the prompt tokens that all tiers gave.
func foundTokens(d *result.Document) int64 {
	if hit := d.Overall.CacheHit; hit != nil {
		return hit.GPUTokens + hit.CPUTokens + hit.StorageTokens
	}
	return 0
}

// shareOf writes a part of a whole as a percentage.
func shareOf(part, whole int64) string {
	if whole == 0 {
		return "0 %"
	}
	return figure.Fixed(float64(part)/float64(whole)*100, 1) + " %"
}
