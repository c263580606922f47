// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"strings"
)

// published is by how much Splitwise raised throughput at 20 % lower cost.
const published = 1.4

// Conclusions say what was found, whichever way it fell.
func (p *page) Conclusions() []string {
	var all []string
	f := p.study()
	for w, name := range workloadNames {
		mixed, whole, split := best(f.mixed[w]), last(f.mixed[w]), best(f.split[w])
		all = append(all, fmt.Sprintf("**%s**: splitting %s, with %s times the rate of the best mixed machines and %s times the rate of mixed machines that compute whole prompts. Splitwise published %v times, at 20 %% lower cost.",
			capitalized(name), wins(split.met.rate/mixed.met.rate), times(split, mixed), times(split, whole), published))
	}
	c, v := best(f.split[code]).cluster, best(f.split[conversation]).cluster
	all = append(all,
		fmt.Sprintf("The best ratio is %v for code and %v for conversation: %s With the ratio of the other workload, code loses %s and conversation %s of the rate.",
			c, v, compareRatios(c.prefill, v.prefill), p.costOf(code, v.prefill), p.costOf(conversation, c.prefill)),
		fmt.Sprintf("To serve the best rate of %d mixed machines, a split cluster needs %s.", p.scale.machines, p.fewest()))
	if g := p.named(variantCommon); g != nil {
		all = append(all, fmt.Sprintf("The transfer of the KV cache matters as much as the split. If it begins when the prompt is complete, over %d GB/s, splitting gives %s times the rate of the best mixed machines for code and %s times for conversation.",
			g.variant.network.bytesPerSecond/1e9, times(best(g.split[code]), best(g.mixed[code])), times(best(g.split[conversation]), best(g.mixed[conversation]))))
	}
	if g := p.named(variantSplitwise); g != nil {
		all = append(all, fmt.Sprintf("By the measure of Splitwise (SLOs relative to a request alone on A100s, the first token from the prefill machine) splitting gives %s times the rate of the best mixed machines for code and %s times for conversation, and %s and %s times the rate of mixed machines that compute whole prompts.",
			times(best(g.split[code]), best(g.mixed[code])), times(best(g.split[conversation]), best(g.mixed[conversation])),
			times(best(g.split[code]), last(g.mixed[code])), times(best(g.split[conversation]), last(g.mixed[conversation]))))
	}
	return append(all, fmt.Sprintf("Under the assumptions below, splitting gives %s times the rate of the best mixed machines for code and %s times for conversation.",
		p.span(code), p.span(conversation)))
}

func last(all []outcome) outcome { return all[len(all)-1] }

// named returns the findings of a variant, nil if it was not tried.
func (p *page) named(name string) *findings {
	for _, f := range p.all {
		if f.variant.name == name {
			return f
		}
	}
	return nil
}

// span is the range of what splitting gives, from the worst variant to the best.
func (p *page) span(w int) string {
	quotient := func(f *findings) float64 { return best(f.split[w]).met.rate / best(f.mixed[w]).met.rate }
	least, most := quotient(p.all[0]), quotient(p.all[0])
	for _, f := range p.all {
		least, most = min(least, quotient(f)), max(most, quotient(f))
	}
	return fmt.Sprintf("%.2f to %.2f", least, most)
}

// costOf says what share of the best rate a workload loses if a number of machines
// compute prompts.
func (p *page) costOf(w, prefill int) string {
	all := p.study().split[w]
	return fmt.Sprintf("%.0f %%", 100*(1-all[prefill-1].met.rate/best(all).met.rate))
}

// fewest names the smallest clusters that do what the best mixed ones do.
func (p *page) fewest() string {
	var all []string
	for w, name := range workloadNames {
		c := p.study().smallest[w]
		if c.machines == 0 {
			all = append(all, "more machines than the study tried for "+name)
			continue
		}
		all = append(all, fmt.Sprintf("%d (%v) for %s", c.machines, c, name))
	}
	return strings.Join(all, " and ")
}

// wins says what a quotient of rates means.
func wins(quotient float64) string {
	switch {
	case quotient > 1.02:
		return "wins"
	case quotient < 0.98:
		return "loses"
	}
	return "makes no difference"
}

func compareRatios(code, conversation int) string {
	switch {
	case code > conversation:
		return "code needs more machines for its prompts, as published."
	case code < conversation:
		return "code needs fewer machines for its prompts, unlike in the publication."
	}
	return "both need the same number of machines for their prompts, unlike in the publication."
}

func capitalized(name string) string { return string(name[0]-'a'+'A') + name[1:] }
