// SPDX-License-Identifier: Apache-2.0

package insight

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// Performance is what came of the measured requests.
type Performance struct {
	// Seconds run from the first measured arrival to the last end.
	Seconds            float64            `json:"seconds"`
	OutputTokensPerSec float64            `json:"outputTokensPerSecond"`
	Classes            []ClassPerformance `json:"classes"`
}

// ClassPerformance is of one class.
type ClassPerformance struct {
	Class     string `json:"class"`
	Requests  int    `json:"requests"`
	Completed int    `json:"completed"`
	// Good completed and met all targets.
	Good int `json:"good"`
	// The percentiles are of those that have the latency. Targets are 0 if the class has none, or if they
	// differ by tenant.
	TTFTP50 float64 `json:"ttftP50Seconds"`
	TTFTP99 float64 `json:"ttftP99Seconds"`
	TPOTP50 float64 `json:"tpotP50Seconds"`
	TPOTP99 float64 `json:"tpotP99Seconds"`
	E2EP99  float64 `json:"e2eP99Seconds"`
	TTFT    float64 `json:"ttftTargetSeconds,omitempty"`
	TPOT    float64 `json:"tpotTargetSeconds,omitempty"`
	E2E     float64 `json:"e2eTargetSeconds,omitempty"`
	// ByTenant says that targets differ by tenant.
	ByTenant bool `json:"targetsByTenant,omitempty"`
	// Prompt, Cached and Lower are tokens of prompts: all, from GPU memory and from lower tiers.
	Prompt int64 `json:"promptTokens"`
	Cached int64 `json:"cachedTokens"`
	Lower  int64 `json:"lowerTierTokens,omitempty"`
}

// outcome sums up requests by class.
type outcome struct {
	labels      workload.Labels
	classes     []classSums
	first, last simtime.Time
	tokens      int64
}

type classSums struct {
	requests, completed, good int
	ttft, tpot, e2e           stats.Histogram
	target                    simulator.Target
	// differ says that tenants have other targets than others.
	differ                bool
	prompt, cached, lower int64
}

func (o *outcome) add(r *record) {
	e := &r.end
	o.last = max(o.last, e.End)
	if !e.Measured {
		return
	}
	o.first = min(o.first, e.Arrival)
	s := &o.classes[e.Class]
	s.differ = s.differ || s.requests > 0 && s.target != r.target
	s.requests++
	s.target = r.target
	if r.ttft >= 0 {
		s.ttft.Record(int64(r.ttft))
	}
	if r.tpot >= 0 {
		s.tpot.Record(int64(r.tpot))
	}
	if e.Ended == completed {
		s.completed++
		s.e2e.Record(int64(e.End.Sub(e.Arrival)))
		o.tokens += int64(e.OutputTokens)
	}
	if !r.bad {
		s.good++
	}
	if e.Scheduled {
		s.prompt += int64(e.PromptTokens)
		s.cached += int64(e.CachedTokens)
		s.lower += int64(r.found() - e.CachedTokens)
	}
}

func (o *outcome) report() Performance {
	out := Performance{Classes: []ClassPerformance{}}
	if o.first < o.last {
		out.Seconds = o.last.Sub(o.first).Seconds()
		out.OutputTokensPerSec = float64(o.tokens) / out.Seconds
	}
	for i := range o.classes {
		if s := &o.classes[i]; s.requests > 0 {
			out.Classes = append(out.Classes, s.report(label(o.labels.Classes, i)))
		}
	}
	return out
}

func (s *classSums) report(class string) ClassPerformance {
	at := func(h *stats.Histogram, q float64) float64 {
		if h.Count() == 0 {
			return 0
		}
		return time.Duration(h.Quantile(q)).Seconds()
	}
	target := s.target
	if s.differ {
		target = simulator.Target{}
	}
	return ClassPerformance{
		Class: class, Requests: s.requests, Completed: s.completed, Good: s.good,
		TTFTP50: at(&s.ttft, 0.5), TTFTP99: at(&s.ttft, 0.99), TPOTP50: at(&s.tpot, 0.5), TPOTP99: at(&s.tpot, 0.99), E2EP99: at(&s.e2e, 0.99),
		TTFT: target.TTFT.Seconds(), TPOT: target.TPOT.Seconds(), E2E: target.E2E.Seconds(), ByTenant: s.differ,
		Prompt: s.prompt, Cached: s.cached, Lower: s.lower,
	}
}
