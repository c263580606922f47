// SPDX-License-Identifier: Apache-2.0

package insight_test

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/internal/testing/golden"
	"windtunnel.dev/windtunnel/pkg/insight"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox"
)

// report is one with something for every section.
func report() *insight.Report {
	return &insight.Report{
		Seed: 42,
		Outcome: insight.Performance{Seconds: 80, OutputTokensPerSec: 847.25, Classes: []insight.ClassPerformance{
			{Class: "chat", Requests: 1000, Completed: 990, Good: 710, TTFTP50: 0.12, TTFTP99: 0.812, TPOTP50: 0.02, TPOTP99: 0.042, TTFT: 0.2, TPOT: 0.05, Prompt: 1000, Cached: 410, Lower: 70},
			{Class: "batch", Requests: 100, Completed: 100, Good: 100, TTFTP50: 1, TTFTP99: 4.25, E2EP99: 31, E2E: 60, ByTenant: true},
		}},
		Anomalies: []insight.Anomaly{
			{Type: insight.PrefixBlind, AtSeconds: 1.25, Count: 640, Share: 0.6, Severity: 0.75, Values: []insight.Value{{Name: "tokens missed", Number: 2621440}}, Requests: []int{3, 9, 14}},
			{Type: insight.TenantBurst, About: "tenant T3", AtSeconds: 42, Count: 230, Share: 0.23, Severity: 0.6, Values: []insight.Value{{Name: "arrivals of the tenant in its bursts", Number: 340}}, Requests: []int{501}},
			{Type: insight.ScaleOscillation, About: "scaler llama", AtSeconds: 60, Count: 4, Share: 0.3, Severity: 0.4, Values: []insight.Value{{Name: "changes up", Number: 3}}},
			{Type: insight.SLOViolation, About: "tenant T1, class chat", AtSeconds: 2, Count: 290, Share: 0.29, Severity: 0.65, Values: []insight.Value{{Name: "missed TTFT", Number: 280}}},
		},
		Worst: []insight.RequestExample{
			{Request: 821, AtSeconds: 43.2, Tenant: "T1", Class: "chat", Prompt: 2300, Replica: "llama/1", Waiting: 9, Running: 20, KVUsage: 0.72, ShortestQueue: 1, Holder: "llama/0", HolderTokens: 2048, HolderWaiting: 3, Ended: "completed", TTFTSeconds: 0.987, LimitSeconds: 0.2, Bad: true},
			{Request: 5, AtSeconds: 0.2, Tenant: "T1", Class: "chat", Prompt: 300, Replica: "prefill/0", Decodes: "decode/0", DecodesWaiting: 7, Believed: 128, Ended: "completed", TTFTSeconds: 0.1, LimitSeconds: 0.2},
		},
		Sample: []insight.RequestExample{
			{Request: 0, Tenant: "T1", Class: "chat", Prompt: 300, Replica: "llama/0", Ended: "completed", TTFTSeconds: 0.1, LimitSeconds: 0.2},
			{Request: 512, Tenant: "T1", Class: "chat", Prompt: 300, Replica: "llama/1", Waiting: 4, Ended: "timed out", TTFTSeconds: -1, Bad: true},
		},
		Patterns: []insight.Pattern{{Feature: "at least 4 waiting at the pick", With: 300, BadWith: 240, Without: 800, BadWithout: 50}},
		Router: []insight.Plugin{
			{Kind: "scorer", Name: "queue-scorer", Type: "queue-scorer", Weight: 2, Profile: "default"},
			{Kind: "scorer", Name: "prefix-cache-scorer", Type: "prefix-cache-scorer", Weight: 1, Profile: "default"},
			{Kind: "admission", Name: "tenant-budget"},
		},
		Scalers: []insight.Scaler{{Name: "llama", Values: []string{"waiting"}}},
	}
}

var alternatives = []insight.Alternative{
	{Request: 821, Picked: "llama/1", Elsewhere: "llama/0", Regret: 0.845, Spread: 0.03},
	{Request: 821, Picked: "llama/1", Elsewhere: "llama/2", Regret: 0.2, Spread: 0.03},
	{Request: 5, Picked: "llama/0", Elsewhere: "llama/1", Regret: -0.01, Spread: 0.02},
}

func TestSummaries(t *testing.T) {
	for _, strategy := range insight.Strategies {
		t.Run(string(strategy), func(t *testing.T) {
			got := insight.Summarize(report(), insight.SummaryOptions{Strategy: strategy, Alternatives: alternatives})
			path := filepath.Join("testdata", "summary", string(strategy)+".md")
			golden.Check(t, path, got)
		})
	}
}

// A summary keeps to its length, and loses lines in the stated order: what a shorter one has, a
// longer one has too.
func TestSummariesKeepToTheirLength(t *testing.T) {
	for _, strategy := range insight.Strategies {
		var shorter []string
		for _, tokens := range []int{25, 50, 100, 200, 400, 800, 1600} {
			got := insight.Summarize(report(), insight.SummaryOptions{Strategy: strategy, MaxTokens: tokens, Alternatives: alternatives})
			if len(got) > tokens*insight.CharactersPerToken {
				t.Errorf("%s: %d characters in %d tokens", strategy, len(got), tokens)
			}
			lines := strings.Split(got, "\n")
			for _, l := range shorter {
				if !slices.Contains(lines, l) {
					t.Errorf("%s: %d tokens lack the line %q of fewer tokens", strategy, tokens, l)
				}
			}
			shorter = lines
		}
	}
}

// A summary names fields of a scenario and what the explanations name, and nothing else.
func TestSummariesInventNoNames(t *testing.T) {
	known := slices.Clone(insight.Fields)
	for _, p := range report().Router {
		known = append(known, p.Name)
	}
	r := report()
	for _, kind := range []insight.Type{
		insight.PrefixBlind, insight.HotReplica, insight.TenantBurst, insight.PriorityInversion, insight.CacheThrashing, insight.ShadowDivergence,
		insight.ScaleOscillation, insight.PDBackpressure, insight.PreemptionStorm, insight.HeadOfLineBlocking,
	} {
		r.Anomalies = []insight.Anomaly{{Type: kind, About: "scaler llama", Count: 100, Share: 1, Severity: 1}}
		got := insight.Summarize(r, insight.SummaryOptions{})
		named := regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(got, -1)
		if len(named) == 0 {
			t.Errorf("%s: no parameter is named", kind)
		}
		for _, m := range named {
			if !slices.Contains(known, m[1]) {
				t.Errorf("%s: the summary names %s, which nobody states", kind, m[1])
			}
		}
	}
}

func TestASummaryOfNothing(t *testing.T) {
	const want = "## Outcome\n- no request was measured\n\n## Key issues (none)\nNo rule found an anomaly.\n\n## Patterns of missed targets\nNo feature of decisions has enough support.\n"
	if got := insight.Summarize(&insight.Report{}, insight.SummaryOptions{}); got != want {
		t.Errorf("%q", got)
	}
}

// A program has no scorers whose weights can change: the summary names the fields that it sees.
func TestTheFocusOfAProgram(t *testing.T) {
	r := report()
	r.Router = []insight.Plugin{{Kind: "prefix index", Name: "prefix-affinity"}, {Kind: "picker", Name: "bundle"}}
	const want = "- prefix_blind: more weight for `endpoints.prefix_affinity` against `endpoints.waiting`, `endpoints.running`, `endpoints.kv_usage`\n"
	if got := insight.Summarize(r, insight.SummaryOptions{}); !strings.Contains(got, want) {
		t.Errorf("%q is not in\n%s", want, got)
	}
	l := sandbox.RoutingLayout(sandbox.Names{}).With(sandbox.Field{Name: "prefix_affinity"})
	for name := range strings.SplitSeq("waiting running kv_usage prefix_affinity", " ") {
		if !slices.ContainsFunc(l.Rows.Fields, func(f sandbox.Field) bool { return f.Name == name }) {
			t.Errorf("no endpoint has the field %s", name)
		}
	}
}
