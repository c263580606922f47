// SPDX-License-Identifier: Apache-2.0

package insight

import (
	"fmt"
	"strings"

	"windtunnel.dev/windtunnel/internal/printable"
)

// outcomeLines compares the figures with the targets.
func outcomeLines(r *Report, _ *SummaryOptions) []line {
	o := &r.Outcome
	lines := []line{heading("Outcome")}
	requests, good := 0, 0
	for i := range o.Classes {
		requests += o.Classes[i].Requests
		good += o.Classes[i].Good
	}
	if requests == 0 {
		return append(lines, line{levelOutcome, "- no request was measured"})
	}
	lines = append(lines, linef(levelOutcome, "- Seed %d: %d of %d requests were good (%s), in %s s; %s output tokens a second",
		r.Seed, good, requests, percent(ratio(good, requests)), number(o.Seconds), number(o.OutputTokensPerSec)))
	for i := range o.Classes {
		lines = append(lines, line{levelOutcome, o.Classes[i].line()})
	}
	for i := range r.Anomalies {
		if a := &r.Anomalies[i]; a.Type.IsSymptom() {
			lines = append(lines, linef(levelExtra, "- %s: %s: %s", a.Type, printable.Markdown(a.About), a.Numbers()))
		}
	}
	return lines
}

func (c *ClassPerformance) line() string {
	parts := []string{fmt.Sprintf("- Class %s: %d of %d good, %d completed", c.Class, c.Good, c.Requests, c.Completed)}
	if c.TTFTP99 > 0 {
		parts = append(parts, against("TTFT", c.TTFTP50, c.TTFTP99, c.TTFT))
	}
	if c.TPOTP99 > 0 {
		parts = append(parts, against("TPOT", c.TPOTP50, c.TPOTP99, c.TPOT))
	}
	if c.ByTenant {
		parts = append(parts, "targets differ by tenant")
	}
	if c.E2E > 0 {
		parts = append(parts, "E2E p99 "+seconds(c.E2EP99)+target(c.E2EP99, c.E2E))
	}
	if c.Prompt > 0 {
		hits := "cache " + percent(float64(c.Cached)/float64(c.Prompt)) + " of prompt tokens from GPU memory"
		if c.Lower > 0 {
			hits += ", " + percent(float64(c.Lower)/float64(c.Prompt)) + " from lower tiers"
		}
		parts = append(parts, hits)
	}
	return strings.Join(parts, "; ")
}

func against(name string, half, most, limit float64) string {
	return name + " p50 " + seconds(half) + ", p99 " + seconds(most) + target(most, limit)
}

func target(x, limit float64) string {
	switch {
	case limit == 0:
		return ""
	case x <= limit:
		return " (target " + seconds(limit) + ": met)"
	default:
		return " (target " + seconds(limit) + ": missed)"
	}
}
