// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// Notes say what of a scenario that can be built need not be meant.
func Notes(in *v1alpha1.Scenario, router *Routing, config *simulator.Config, traces trace.Set, path *field.Path) []string {
	var notes []string
	parts, _ := Parts(in, path)
	for i := range parts {
		p, own := &parts[i], *config
		own.Pools = config.Pools[p.firstPool : p.firstPool+len(p.Scenario.Pools)]
		about := lengthNotes(p.Scenario, &own, traces, path)
		about = append(about, tierNotes(p.Scenario, own.Pools, traces, path.Child("pools"))...)
		about = append(about, signalNotes(&p.Scenario.Router, path.Child("router"))...)
		for _, note := range about {
			notes = append(notes, p.Written(note, path))
		}
	}
	notes = append(notes, oddTimeNotes(&in.Workload, traces, path.Child("workload"))...)
	notes = append(notes, clampNotes(&in.Workload, path.Child("workload"))...)
	notes = append(notes, manifestNotes(in, router, path)...)
	return append(notes, handoffNotes(in, config, path)...)
}

// IdleNotes name what a workload states that has no effect with what else the scenario
// states, and may have one with something else.
func IdleNotes(in *v1alpha1.Scenario, path *field.Path) []string {
	return append(patienceNotes(&in.Workload, path.Child("workload")), horizonNotes(in, path)...)
}

// oddTimeNotes name the traces whose times seem to have another unit.
func oddTimeNotes(in *v1alpha1.Workload, traces trace.Set, path *field.Path) []string {
	var notes []string
	for _, t := range Traces(in, path) {
		if recorded := traces[t.Name]; recorded != nil && recorded.Warning() != "" {
			notes = append(notes, fmt.Sprintf("%s: %s", t.Path, recorded.Warning()))
		}
	}
	return notes
}

// tierNotes name the tiers that can never hold the longest prompt. They are no
// fault: what they hold of it is still its beginning.
func tierNotes(in *v1alpha1.Scenario, pools []simulator.Pool, traces trace.Set, path *field.Path) []string {
	var notes []string
	for i := range pools {
		if len(pools[i].Tiers.Lower) == 0 {
			continue
		}
		needs := longestPrompt(&in.Workload, traces) / pools[i].BlockTokens
		for _, tier := range pools[i].Tiers.Lower {
			if tier.Blocks < needs {
				notes = append(notes, fmt.Sprintf("%s: the %s tier holds %d KV blocks, fewer than the %d of the longest prompt",
					path.Index(i).Child("kvCache", "tiers"), tier.Kind, tier.Blocks, needs))
			}
		}
	}
	return notes
}

// signalNotes say that the interval of scrapes has no effect without scrapes.
func signalNotes(in *v1alpha1.Router, path *field.Path) []string {
	if in.Signals != v1alpha1.OracleSignals || in.MetricsRefreshInterval.Duration() == simulator.DefaultScrapeInterval {
		return nil
	}
	return []string{fmt.Sprintf("%s: has no effect, because signals is Oracle", path.Child("metricsRefreshInterval"))}
}

// longestPrompt returns the tokens of the longest prompt that is known of; that
// of a client whose prompts have no bound is not.
func longestPrompt(in *v1alpha1.Workload, traces trace.Set) int {
	longest := 0
	for _, t := range Traces(in, nil) {
		if recorded := traces[t.Name]; recorded != nil && recorded.Requests() > 0 {
			longest = max(longest, recorded.LongestInput())
		}
	}
	for i := range in.Clients {
		longest = max(longest, longestClientPrompt(&in.Clients[i]))
	}
	return longest
}

// longestClientPrompt returns the tokens of a client's longest prompt, its prefix included.
// What has no bound counts nothing.
func longestClientPrompt(c *v1alpha1.Client) int {
	tokens := maxLength(&c.InputTokens)
	if p := c.Prefix; p != nil {
		tokens += int(p.Tokens)
		if e := p.Examples; e != nil {
			tokens += maxAmount(&e.Count) * maxAmount(&e.Tokens)
		}
	}
	for i := range c.Media {
		tokens += maxAmount(&c.Media[i].Count) * maxAmount(&c.Media[i].Tokens)
	}
	return tokens
}

// longestClientAnswer returns the tokens of a client's longest answer, its reasoning
// included.
func longestClientAnswer(c *v1alpha1.Client) int {
	tokens := maxLength(&c.OutputTokens)
	if r := c.Reasoning; r != nil {
		tokens += maxAmount(&r.Steps) * maxAmount(&r.TokensPerStep)
	}
	return tokens
}

// maxAmount is maxLength of amounts.
func maxAmount(a *v1alpha1.Amounts) int {
	return maxLength(&v1alpha1.Lengths{Distribution: v1alpha1.LengthDistribution(a.Distribution), Mean: a.Mean, Max: a.Max})
}

// maxLength returns the greatest length that a distribution gives, or 0 where it has
// no bound.
func maxLength(l *v1alpha1.Lengths) int {
	switch {
	case l.Max != nil:
		return int(*l.Max)
	case l.Distribution == v1alpha1.ConstantLengths:
		return int(l.Mean.Float())
	case l.Distribution == v1alpha1.HistogramLengths:
		longest := int32(0)
		for _, b := range l.Histogram {
			longest = max(longest, b.Tokens)
		}
		return int(longest)
	}
	return 0
}
