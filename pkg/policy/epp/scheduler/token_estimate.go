// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"math"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
	"windtunnel.dev/windtunnel/pkg/prompt"
)

// An estimator is the parameters of a producer of tokens.
type estimator interface {
	// Estimates reports whether tokens are estimated from a prompt's length in bytes.
	Estimates() bool
}

// EstimatesTokens reports whether prompts come with tokens that are only
// estimated from their length in bytes.
func EstimatesTokens(d *config.EffectiveDocument) bool {
	for _, p := range d.Plugins {
		if t, ok := p.Parameters.(estimator); ok && p.Name == config.TokenProducerType {
			return t.Estimates()
		}
	}
	return false
}

// A tokenEstimate makes of a prompt what the estimate backend makes of it: one
// token for every 4 bytes, the last ones included. Prompts that share a beginning
// still do, as far as that is.
type tokenEstimate struct {
	// ratio is how many tokens it finds in one; 1 is exact, and so is 0.
	ratio   float64
	extents []prompt.Extent // scratch
}

// Of returns the estimated prompt, good until the next call, and its length.
func (t *tokenEstimate) Of(p prompt.Prompt, tokens int) (prompt.Prompt, int) {
	if t.ratio == 0 || t.ratio == 1 {
		return p, tokens
	}
	t.extents = t.extents[:0]
	at, made := 0, 0
	for i, e := range p.Extents {
		if e.Tokens == 0 {
			continue
		}
		at += int(e.Tokens)
		until := int(math.Floor(float64(float64(at) * t.ratio)))
		// What goes on where the text before left off does so here.
		if !continues(p.Extents[:i], e) {
			start := math.Floor(float64(float64(e.Start) * t.ratio))
			t.extents = append(t.extents, prompt.Extent{Source: e.Source, Start: int32(start)})
		}
		t.extents[len(t.extents)-1].Tokens += int32(until - made)
		made = until
	}
	all := int(math.Ceil(float64(float64(at) * t.ratio)))
	if all > made {
		t.extents[len(t.extents)-1].Tokens += int32(all - made)
	}
	return prompt.Prompt{Extents: t.extents}, all
}

// TokensFromBytes is how long EPPs before router-v0.9 take the length of a prompt to
// be: a quarter of its bytes, where ratio is a quarter of a token's. With ratio 0
// they receive.
func TokensFromBytes(tokens int, ratio float64) int {
	if ratio == 0 {
		return tokens
	}
	return int(float64(tokens) * ratio)
}

// TokenRatio is the ratio of [TokensFromBytes].
func (b *Builder) TokenRatio() float64 {
	if b.Dialect.Framework >= version.Router09 {
		return 0
	}
	return b.TokenBytes() / config.EstimatedBytesPerToken
}

// continues reports whether an extent is the continuation of the last one before
// it that has tokens.
func continues(before []prompt.Extent, e prompt.Extent) bool {
	for i := len(before) - 1; i >= 0; i-- {
		if b := before[i]; b.Tokens > 0 {
			return b.Source == e.Source && b.Start+b.Tokens == e.Start
		}
	}
	return false
}
