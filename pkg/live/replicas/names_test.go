// SPDX-License-Identifier: Apache-2.0

package replicas

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/stats"
)

func TestNames(t *testing.T) {
	n := NewNames(10_000)
	for _, c := range []struct {
		name            string
		text, answer    string
		prompt, answer2 []prompt.Extent
	}{
		{
			"a first text is a source, which its answer goes on with", "hello", "you",
			[]prompt.Extent{{Source: 1, Tokens: 5}}, []prompt.Extent{{Source: 1, Start: 5, Tokens: 3}},
		},
		{
			"a second turn goes on with the answer", "helloyou!", "me",
			[]prompt.Extent{{Source: 1, Tokens: 9}}, []prompt.Extent{{Source: 1, Start: 9, Tokens: 2}},
		},
		{
			"a text that turns off gets a source from there on", "help", "me",
			[]prompt.Extent{{Source: 1, Tokens: 3}, {Source: 2, Tokens: 1}}, []prompt.Extent{{Source: 2, Start: 1, Tokens: 2}},
		},
		{
			"an edge that was split is still one extent", "hello", "you",
			[]prompt.Extent{{Source: 1, Tokens: 5}}, []prompt.Extent{{Source: 1, Start: 5, Tokens: 3}},
		},
		{
			"an answer that turns off has two extents", "hello", "yes",
			[]prompt.Extent{{Source: 1, Tokens: 5}}, []prompt.Extent{{Source: 1, Start: 5, Tokens: 1}, {Source: 3, Tokens: 2}},
		},
	} {
		text, answer := n.Name(ids(c.text), ids(c.answer))
		if diff := cmp.Diff(c.prompt, text.Extents); diff != "" {
			t.Errorf("%s: prompt (-want +got):\n%s", c.name, diff)
		}
		if diff := cmp.Diff(c.answer2, answer); diff != "" {
			t.Errorf("%s: answer (-want +got):\n%s", c.name, diff)
		}
	}
}

// TestForgottenTextsGetNewNames forgets a text that is the end of a source, of which the beginning stays.
func TestForgottenTextsGetNewNames(t *testing.T) {
	n := NewNames(3*edgeTokens + 6)
	n.Name(ids("abc"), ids("d"))
	n.Name(ids("ab"), ids("xyz")) // "cd" was not used for longest
	text, _ := n.Name(ids("ab"), ids("cd"))
	if got := text.Extents[0].Source; got != 1 {
		t.Errorf("the beginning has source %d", got)
	}
	_, answer := n.Name(ids("ab"), ids("cd"))
	if diff := cmp.Diff([]prompt.Extent{{Source: 3, Tokens: 2}}, answer); diff != "" {
		t.Errorf("the end (-want +got):\n%s", diff)
	}
}

func ids(text string) []uint32 {
	tokens := make([]uint32, len(text))
	for i := range tokens {
		tokens[i] = uint32(text[i])
	}
	return tokens
}

// FuzzNames holds the names against a plain map: a place in a source stands for one text up to there,
// whatever was forgotten, and a text that was not forgotten for one place.
func FuzzNames(f *testing.F) {
	for seed := range int64(50) {
		stream := stats.NewStream(seed, "names")
		data := make([]byte, 1+stream.IntN(600))
		for i := range data {
			data[i] = byte(stream.Uint64())
		}
		f.Add(data, stream.IntN(20*edgeTokens))
	}
	f.Fuzz(func(t *testing.T, data []byte, most int) {
		bounded, unbounded := NewNames(most), NewNames(1<<30)
		textsOf, bothWays := places{texts: map[place]string{}}, places{texts: map[place]string{}, places: map[string]place{}}
		longest := 0
		for len(data) > 1 {
			length := min(int(data[0])%24+1, len(data)-1)
			text := make([]uint32, length)
			for i := range text {
				text[i] = uint32(data[1+i]) % 3
			}
			data = data[1+length:]
			at := length / 2
			if err := textsOf.check(bounded, text, at); err != nil {
				t.Fatal(err)
			}
			if err := bothWays.check(unbounded, text, at); err != nil {
				t.Fatal(err)
			}
			longest = max(longest, length)
			if bounded.tokens > max(most, longest*(1+edgeTokens)) {
				t.Fatalf("%d tokens are remembered of at most %d", bounded.tokens, most)
			}
		}
	})
}

type place struct {
	source uint64
	at     int32
}

// places is what is known of places, and of texts where a text keeps its place.
type places struct {
	texts  map[place]string
	places map[string]place
}

func (p *places) check(n *Names, text []uint32, at int) error {
	before, after := n.Name(text[:at], text[at:])
	if before.Tokens() != at || (prompt.Prompt{Extents: after}).Tokens() != len(text)-at {
		return fmt.Errorf("%v, cut at %d, is %v and %v", text, at, before, after)
	}
	seen := 0
	for _, e := range append(before.Extents[:len(before.Extents):len(before.Extents)], after...) {
		for i := range e.Tokens {
			seen++
			where, what := place{e.Source, e.Start + i}, fmt.Sprint(text[:seen])
			if other, ok := p.texts[where]; ok && other != what {
				return fmt.Errorf("%v is the end of %s and of %s", where, other, what)
			}
			p.texts[where] = what
			if p.places == nil {
				continue
			}
			if other, ok := p.places[what]; ok && other != where {
				return fmt.Errorf("%s ends at %v and at %v", what, other, where)
			}
			p.places[what] = where
		}
	}
	return nil
}
