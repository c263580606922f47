// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// Notes say what of a scenario need not be meant.
func Notes(in *v1alpha1.Scenario, config *simulator.Config, trace *workload.Trace, path *field.Path) []string {
	notes := lengthNotes(in, config, trace, path)
	notes = append(notes, tierNotes(in, config.Pools, trace, path.Child("pools"))...)
	return append(notes, handoffNotes(in, config, path)...)
}

// tierNotes name the tiers that can never hold the longest prompt. They are no
// fault: what they hold of it is still its beginning.
func tierNotes(in *v1alpha1.Scenario, pools []simulator.Pool, trace *workload.Trace, path *field.Path) []string {
	var notes []string
	for i := range pools {
		if len(pools[i].Tiers.Lower) == 0 {
			continue
		}
		needs := longestPrompt(&in.Workload, trace) / pools[i].BlockTokens
		for _, tier := range pools[i].Tiers.Lower {
			if tier.Blocks < needs {
				notes = append(notes, fmt.Sprintf("%s: the %s tier holds %d KV blocks, fewer than the %d of the longest prompt",
					path.Index(i).Child("kvCache", "tiers"), tier.Kind, tier.Blocks, needs))
			}
		}
	}
	return notes
}

// longestPrompt returns the tokens of the longest prompt that is known of; that
// of a client whose prompts have no bound is not.
func longestPrompt(in *v1alpha1.Workload, trace *workload.Trace) int {
	longest := 0
	if trace != nil && trace.Requests() > 0 {
		longest = trace.Statistics().Input.Max
	}
	for i := range in.Clients {
		longest = max(longest, longestClientPrompt(&in.Clients[i]))
	}
	return longest
}

// longestClientPrompt returns the tokens of a client's longest prompt, its prefix included.
func longestClientPrompt(c *v1alpha1.Client) int {
	tokens := maxLength(&c.InputTokens)
	if c.Prefix != nil {
		tokens += int(c.Prefix.Tokens)
	}
	return tokens
}

// maxLength returns the greatest length that a distribution gives, or 0 where it has
// no bound.
func maxLength(l *v1alpha1.Lengths) int {
	switch {
	case l.Max != nil:
		return int(*l.Max)
	case l.Distribution == v1alpha1.ConstantLengths:
		return int(l.Mean.Float())
	}
	return 0
}
