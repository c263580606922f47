// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"fmt"
	"io"

	"windtunnel.dev/windtunnel/cmd/windtunnel/local"
	"windtunnel.dev/windtunnel/internal/figure"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/result"
)

// ceilings computes what caches can give at most, for each result; nil unless the user
// asks for it.
func (o *runOptions) ceilings(ctx context.Context, run local.Run, documents []*result.Document) ([]*execute.Ceiling, error) {
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

// printCeilings holds what the run reached against what is possible at most.
func printCeilings(w io.Writer, ceilings []*execute.Ceiling, documents []*result.Document) {
	for i, c := range ceilings {
		if c.Unknown != "" {
			fmt.Fprintf(w, "Cache hits and pace, seed %d: no ceiling is known, since %s.\n", c.Seed, c.Unknown)
			continue
		}
		printHits(w, c, foundTokens(documents[i]))
		printPace(w, c, documents[i])
	}
}

// printHits holds the tokens that caches gave against what they can give.
func printHits(w io.Writer, c *execute.Ceiling, found int64) {
	if c.UnboundedTokens == 0 {
		fmt.Fprintf(w, "Cache hits, seed %d: no prompts share a full block, so no cache gives a token.\n", c.Seed)
		return
	}
	fmt.Fprintf(w, "Cache hits, seed %d: caches gave %s of the prompt tokens. ", c.Seed, shareOf(found, c.PromptTokens))
	if c.ClairvoyantTokens == nil {
		fmt.Fprintf(w, "Caches without a limit give %s at most, so the run reached %s of that. A ceiling for caches of this size is not known, since %s.\n",
			shareOf(c.UnboundedTokens, c.PromptTokens), shareOf(found, c.UnboundedTokens), c.Reordered)
		return
	}
	fmt.Fprintf(w, "With %d KV blocks no router gets more than %s, and without a limit %s: the run reached %s of what is possible.\n",
		*c.Blocks, shareOf(*c.ClairvoyantTokens, c.PromptTokens), shareOf(c.UnboundedTokens, c.PromptTokens), shareOf(found, *c.ClairvoyantTokens))
}

// printPace holds the time in which all requests were answered against the least possible.
func printPace(w io.Writer, c *execute.Ceiling, d *result.Document) {
	fmt.Fprintf(w, "Pace, seed %d: ", c.Seed)
	requests := &d.Overall.Requests
	switch {
	case c.EndSeconds == nil:
		fmt.Fprintf(w, "no ceiling is known, since %s.\n", c.PaceUnknown)
	case requests.Completed < requests.Arrived:
		fmt.Fprintf(w, "no router answers all requests within %s s. The run did not answer %d of %d.\n",
			figure.Fixed(*c.EndSeconds, 1), requests.Arrived-requests.Completed, requests.Arrived)
	default:
		fmt.Fprintf(w, "all requests were answered within %s s, and no router does it within %s s: the run reached %s %% of the possible pace.\n",
			figure.Fixed(d.EndSeconds, 1), figure.Fixed(*c.EndSeconds, 1), figure.Fixed(*c.EndSeconds/d.EndSeconds*100, 1))
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
