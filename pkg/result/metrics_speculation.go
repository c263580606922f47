// SPDX-License-Identifier: Apache-2.0

package result

import "windtunnel.dev/windtunnel/pkg/simulator"

// Speculation is how well drafts of tokens did.
type Speculation struct {
	// TokensPerStep is how many tokens a request gets in a step that verifies drafts, the
	// end of its answer left out: vLLM's mean acceptance length.
	TokensPerStep float64 `json:"tokensPerStep"`
	// Acceptance is accepted ÷ drafted tokens.
	Acceptance float64 `json:"acceptance"`
	// Drafts counts such steps of requests, DraftTokens what was drafted in them.
	Drafts      int64 `json:"drafts"`
	DraftTokens int64 `json:"draftTokens"`
}

// speculations are the drafts of engines that speculate.
var speculations = subject{
	gather: func(in *selection, g *Group) { g.Speculation = newSpeculation(&in.sum) },
	families: []family{
		family{name: "speculation", labels: requestLabels, statistics: []statistic{
			{
				name: "tokensPerStep", unit: Ratio, direction: Maximize,
				help:  "1 + accepted tokens ÷ drafts: what a request that decodes gets in a step on average",
				value: speculated(func(s *Speculation) float64 { return s.TokensPerStep }),
			},
			{
				name: "acceptance", unit: Share, direction: Maximize,
				help:  "accepted tokens ÷ drafted tokens",
				value: speculated(func(s *Speculation) float64 { return s.Acceptance }),
			},
		}}.needing(NeedsSpeculation),
	},
}

// newSpeculation returns nil where no drafts were verified.
func newSpeculation(c *simulator.Cell) *Speculation {
	if c.Drafts == 0 {
		return nil
	}
	return &Speculation{
		TokensPerStep: 1 + float64(c.AcceptedTokens)/float64(c.Drafts),
		Acceptance:    float64(c.AcceptedTokens) / float64(c.DraftTokens),
		Drafts:        c.Drafts, DraftTokens: c.DraftTokens,
	}
}

func speculated(of func(*Speculation) float64) func(*Group) (float64, bool) {
	return func(g *Group) (float64, bool) {
		if g.Speculation == nil {
			return 0, false
		}
		return of(g.Speculation), true
	}
}
