// SPDX-License-Identifier: Apache-2.0

package load

import (
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/pkg/prompt"
)

func extents(e ...prompt.Extent) prompt.Prompt { return prompt.Prompt{Extents: e} }

func TestEqualExtentsAreEqualText(t *testing.T) {
	texts := newTexts()
	whole := string(texts.of(extents(prompt.Extent{Source: 1, Tokens: 100}, prompt.Extent{Source: 2, Tokens: 3})))
	if len(whole) != 103*tokenBytes {
		t.Errorf("103 tokens have %d characters", len(whole))
	}
	cut := string(texts.of(extents(prompt.Extent{Source: 1, Tokens: 40}, prompt.Extent{Source: 1, Start: 40, Tokens: 60})))
	if !strings.HasPrefix(whole, cut) {
		t.Error("a text depends on where it is cut")
	}
	if got := string(newTexts().of(extents(prompt.Extent{Source: 1, Tokens: 100}))); got != cut {
		t.Error("a text depends on those before it")
	}
	other := string(texts.of(extents(prompt.Extent{Source: 3, Tokens: 100})))
	for i := 0; i < len(other); i += tokenBytes {
		if other[i:i+tokenBytes] == cut[i:i+tokenBytes] {
			t.Errorf("texts of different sources share token %d", i/tokenBytes)
		}
	}
}

// TestGivenTextStandsWhereItWasGiven has an answer of 3 tokens behind 2 of its source.
func TestGivenTextStandsWhereItWasGiven(t *testing.T) {
	texts := newTexts()
	own := string(texts.of(extents(prompt.Extent{Source: 1, Tokens: 8})))
	texts.keep(1, 2, []byte("AAAABBBBCCCC"))
	for name, tc := range map[string]struct {
		of   prompt.Extent
		want string
	}{
		"all of it":  {prompt.Extent{Source: 1, Tokens: 8}, own[:8] + "AAAABBBBCCCC" + own[20:]},
		"its middle": {prompt.Extent{Source: 1, Start: 3, Tokens: 1}, "BBBB"},
		"its end":    {prompt.Extent{Source: 1, Start: 4, Tokens: 2}, "CCCC" + own[20:24]},
		"before it":  {prompt.Extent{Source: 1, Tokens: 2}, own[:8]},
		"after it":   {prompt.Extent{Source: 1, Start: 5, Tokens: 3}, own[20:]},
	} {
		if got := string(texts.of(extents(tc.of))); got != tc.want {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
	}
}

func TestOldAnswersAreForgotten(t *testing.T) {
	texts := newTexts()
	half := make([]byte, answerBytes/2)
	for source := range uint64(3) {
		texts.keep(source, 0, half)
	}
	if _, kept := texts.given[0]; kept || len(texts.given) != 2 || texts.bytes != answerBytes {
		t.Errorf("%d answers of %d bytes are kept", len(texts.given), texts.bytes)
	}
}
