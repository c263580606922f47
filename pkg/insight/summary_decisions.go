// SPDX-License-Identifier: Apache-2.0

package insight

import (
	"cmp"
	"fmt"
	"slices"
)

// worstLines shows what the router knew of the worst decisions, and what came of them.
func worstLines(r *Report, _ *SummaryOptions) []line {
	worst := slices.DeleteFunc(slices.Clone(r.Worst), func(d RequestExample) bool { return !d.Bad })
	if len(worst) == 0 {
		return nil
	}
	lines := []line{heading(fmt.Sprintf("Worst decisions (%d)", len(worst)))}
	for i := range worst {
		d := &worst[i]
		lines = append(lines,
			linef(levelWorst, "%d. t=%s s: request %d (tenant %s, class %s, %d prompt tokens) went to %s", i+1, number(round(d.AtSeconds)), d.Request, d.Tenant, d.Class, d.Prompt, d.Where()),
			line{levelWorst, "   - known: " + d.Known()},
			line{levelWorst, "   - result: " + d.Result()})
	}
	return lines
}

// auditLines goes through the sample.
func auditLines(r *Report, _ *SummaryOptions) []line {
	if len(r.Sample) == 0 {
		return nil
	}
	lines := []line{heading(fmt.Sprintf("Decisions at equal distances (%d)", len(r.Sample)))}
	for i := range r.Sample {
		d := &r.Sample[i]
		mark := "ok"
		if d.Bad {
			mark = "missed"
		}
		lines = append(lines, linef(levelStrategy, "- request %d → %s: %s; %s: %s", d.Request, d.Where(), d.Known(), mark, d.Result()))
	}
	return lines
}

// Where names the replicas that the request went to.
func (d *RequestExample) Where() string {
	where := d.Replica
	if d.Decodes != "" {
		where += " for its prompt, then to " + d.Decodes
	}
	if d.Rank != "" {
		where += ", whose engine chose " + d.Rank
	}
	return where
}

// Known says what the router knew at the decision.
func (d *RequestExample) Known() string {
	s := fmt.Sprintf("%d waiting, %d running, KV %s there; shortest queue %d", d.Waiting, d.Running, percent(d.KVUsage), d.ShortestQueue)
	if d.Decodes != "" {
		s += fmt.Sprintf("; %d waiting, %d running on %s", d.DecodesWaiting, d.DecodesRunning, d.Decodes)
	}
	if d.Holder != "" {
		s += fmt.Sprintf("; %d tokens believed cached there, %d on %s with %d waiting", d.Believed, d.HolderTokens, d.Holder, d.HolderWaiting)
	} else if d.Believed > 0 {
		s += fmt.Sprintf("; %d tokens believed cached there", d.Believed)
	}
	return s
}

// Result says what came of the request.
func (d *RequestExample) Result() string {
	s := d.Ended
	if d.TTFTSeconds >= 0 {
		s += ", TTFT " + seconds(d.TTFTSeconds)
		if d.LimitSeconds > 0 {
			s += fmt.Sprintf(" (%s times its limit)", number(round(d.TTFTSeconds/d.LimitSeconds)))
		}
	}
	return fmt.Sprintf("%s, %d tokens from caches", s, d.Found)
}

// counterfactualIfAny is of reports with alternatives only.
func counterfactualIfAny(r *Report, o *SummaryOptions) []line {
	if len(o.Alternatives) == 0 {
		return nil
	}
	return counterfactualLines(r, o)
}

// counterfactualLines says how the requests asked about would have fared elsewhere.
func counterfactualLines(_ *Report, o *SummaryOptions) []line {
	lines := []line{heading("Counterfactual analysis")}
	if len(o.Alternatives) == 0 {
		return append(lines, line{levelStrategy, "No simulations with other picks were given."})
	}
	best := bestOf(o.Alternatives)
	better, regret := 0, 0.0
	for _, a := range best {
		if a.Regret > a.Spread {
			better++
			regret += a.Regret
		}
	}
	lines = append(lines, linef(levelStrategy, "- %d of %d requests had their first token sooner elsewhere, by more than chance", better, len(best)))
	if better > 0 {
		lines = append(lines, linef(levelStrategy, "- mean regret of those: %s", seconds(regret/float64(better))))
	}
	for _, a := range best[:min(len(best), 5)] {
		lines = append(lines, linef(levelStrategy, "- request %d: %s instead of %s: %s (chance: %s)", a.Request, a.Elsewhere, a.Picked, signed(a.Regret), seconds(a.Spread)))
	}
	return lines
}

// bestOf returns the best alternative for each request, with the most regret first.
func bestOf(all []Alternative) []Alternative {
	sorted := slices.SortedFunc(slices.Values(all), func(a, b Alternative) int {
		return cmp.Or(cmp.Compare(b.Regret, a.Regret), cmp.Compare(a.Request, b.Request), cmp.Compare(a.Elsewhere, b.Elsewhere))
	})
	seen := map[int]bool{}
	return slices.DeleteFunc(sorted, func(a Alternative) bool {
		before := seen[a.Request]
		seen[a.Request] = true
		return before
	})
}

func signed(x float64) string {
	if x < 0 {
		return seconds(-x) + " later"
	}
	return seconds(x) + " sooner"
}

// patternLines lists features with which requests miss targets more often.
func patternLines(r *Report, o *SummaryOptions) []line {
	lines := []line{heading("Patterns of missed targets")}
	level := levelStrategy
	if o.Strategy != PatternMining {
		level = levelExtra
	}
	if len(r.Patterns) == 0 {
		return append(lines, line{level, "No feature of decisions has enough support."})
	}
	for i := range r.Patterns {
		p := &r.Patterns[i]
		lines = append(lines, linef(level, "- %s: %d of %d missed (%s), else %d of %d (%s)", p.Feature,
			p.BadWith, p.With, percent(ratio(p.BadWith, p.With)), p.BadWithout, p.Without, percent(ratio(p.BadWithout, p.Without))))
	}
	return lines
}
