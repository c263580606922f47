// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"fmt"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

const contextLengthAwareType = "context-length-aware"

// contextLengthAware prefers endpoints that are meant for prompts of this
// length n: a label gives a range min-max. In the range, with width w = max −
// min, the score is 0.3 + 0.7·(0.7/(1 + w/10000) + 0.3·(max − n)/w), and 1 where
// w is 0; outside, 0.3/(1 + d/1000) with the distance d to the range. Without
// the label it is 0.5, and 0 where the label is no range.
//
// Before router-v0.9 the length is a quarter of the prompt's bytes, unless a plugin
// has counted its tokens.
//
// With enableFiltering, only endpoints in range and without the label stay.
var contextLengthAware = scheduler.Factory{
	PluginType: config.PluginType{
		Name:         contextLengthAwareType,
		Registration: version.LLMD("scheduler-v0.7.."),
		Roles:        config.FilterRole | config.ScorerRole,
		Parameters:   func() any { return &contextLengthParameters{Label: "llm-d.ai/context-length-range"} },
		Needs:        config.NeedsTokens,
		Treatment: func(c *config.Config, cluster *config.Cluster, _ *config.Plugin) (config.Treatment, string) {
			switch {
			case cluster.Labelled() && c.Dialect.Framework < version.Router09:
				return config.Approximated, fmt.Sprintf("a prompt has %v bytes for each of its tokens", cluster.TokenBytes())
			case cluster.Labelled():
				return config.Exact, ""
			}
			return config.Approximated, "endpoints have no labels, and all score 0.5"
		},
	},
	NewFilter: func(b *scheduler.Builder, p *config.Plugin) scheduler.Filter {
		if !p.Parameters.(*contextLengthParameters).EnableFiltering || b.Labels == nil {
			return nil
		}
		return newContextLength(b, p)
	},
	NewScorer: func(b *scheduler.Builder, p *config.Plugin) scheduler.Scorer { return newContextLength(b, p) },
}

type contextLengthParameters struct {
	Label           string `json:"label"`
	EnableFiltering bool   `json:"enableFiltering"`
}

func (p *contextLengthParameters) Check(l *config.Loader, path *field.Path) {
	if p.Label == "" {
		l.Add(field.Required(path.Child("label"), "must name a label"))
	}
}

// A contextRange is what an endpoint's label says.
type contextRange struct {
	kind        contextRangeKind
	least, most int // tokens
}

type contextRangeKind uint8

const (
	noRange contextRangeKind = iota
	badRange
	goodRange
)

func newContextLength(b *scheduler.Builder, p *config.Plugin) *contextLength {
	s := &contextLength{ranges: make([]contextRange, b.Endpoints), ratio: b.TokenRatio()}
	for e := range s.ranges {
		if text, labelled := b.LabelsOf(e)[p.Parameters.(*contextLengthParameters).Label]; labelled {
			s.ranges[e] = parseContextRange(text)
		}
	}
	return s
}

func parseContextRange(text string) contextRange {
	low, high, ok := strings.Cut(text, "-")
	least, err := strconv.Atoi(strings.TrimSpace(low))
	if !ok || err != nil {
		return contextRange{kind: badRange}
	}
	most, err := strconv.Atoi(strings.TrimSpace(high))
	if err != nil || least > most || most < 0 {
		return contextRange{kind: badRange}
	}
	return contextRange{goodRange, least, most}
}

type contextLength struct {
	ranges []contextRange
	// ratio is how many tokens one is taken for: see [scheduler.TokensFromBytes].
	ratio float64
}

func (s *contextLength) length(c *scheduler.Cycle) int {
	if c.Tokenised {
		return c.Tokens
	}
	return scheduler.TokensFromBytes(c.Tokens, s.ratio)
}

func (s *contextLength) Filter(c *scheduler.Cycle, candidates []int) []int {
	kept, tokens := candidates[:0], s.length(c)
	for _, e := range candidates {
		r := &s.ranges[e]
		if r.kind == noRange || r.kind == goodRange && r.least <= tokens && tokens <= r.most {
			kept = append(kept, e)
		}
	}
	return kept
}

func (s *contextLength) Score(c *scheduler.Cycle, candidates []int, w scheduler.Weight, scores []float64) {
	tokens := s.length(c)
	for i, e := range candidates {
		switch r := &s.ranges[e]; r.kind {
		case noRange:
			scores[i] = w.Of(0.5)
		case badRange:
			scores[i] = w.Of(0)
		case goodRange:
			scores[i] = w.Of(r.raw(tokens))
		}
	}
}

func (r *contextRange) raw(tokens int) float64 {
	const outside = 0.3 // bounds scores outside from above, and inside from below
	switch {
	case tokens > r.most:
		return outside / (1 + float64(tokens-r.most)/1000)
	case tokens < r.least:
		return outside / (1 + float64(r.least-tokens)/1000)
	case r.least == r.most:
		return 1
	}
	width := float64(r.most - r.least)
	narrow := 1 / (1 + width/10000)
	room := float64(r.most-tokens) / width
	return outside + float64((1-outside)*(float64(0.7*narrow)+float64(0.3*room)))
}
