// SPDX-License-Identifier: Apache-2.0

package load

import (
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// tokenBytes is the length of a token's text: an EPP without a tokeniser takes four characters for
// a token.
const tokenBytes = 4

// letters are those of texts: JSON leaves them as they are, and no server trims them.
const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

// answerBytes is how much text of answers is kept for later turns.
const answerBytes = 256 << 20

// texts are the texts that extents of prompts name. Text that a server has given is as the server
// gave it; the rest follows from its source and place alone, so that equal extents are equal texts.
type texts struct {
	given map[uint64][]givenText
	// order are the sources of given texts, the oldest first, and bytes is the length of all.
	order []uint64
	bytes int
}

// givenText is the text of an answer from a token of its source on.
type givenText struct {
	start int32
	text  []byte
}

func newTexts() *texts { return &texts{given: map[uint64][]givenText{}} }

// keep notes an answer. The oldest answers are forgotten where there are too many.
func (t *texts) keep(source uint64, start int32, text []byte) {
	t.given[source] = append(t.given[source], givenText{start, text})
	t.order = append(t.order, source)
	t.bytes += len(text)
	for t.bytes > answerBytes {
		oldest := t.order[0]
		t.order = t.order[1:]
		for _, g := range t.given[oldest] {
			t.bytes -= len(g.text)
		}
		delete(t.given, oldest)
	}
}

// of returns the text of a prompt.
func (t *texts) of(p prompt.Prompt) []byte {
	text := make([]byte, 0, p.Tokens()*tokenBytes)
	for _, e := range p.Extents {
		text = t.extent(text, e)
	}
	return text
}

// extent appends the text of an extent.
func (t *texts) extent(text []byte, e prompt.Extent) []byte {
	begin := len(text)
	for at := e.Start; at < e.Start+e.Tokens; at++ {
		text = appendWord(text, e.Source, at)
	}
	for _, g := range t.given[e.Source] {
		from, to := max(g.start, e.Start), min(g.start+int32(len(g.text)/tokenBytes), e.Start+e.Tokens)
		if from < to {
			copy(text[begin+int(from-e.Start)*tokenBytes:], g.text[int(from-g.start)*tokenBytes:int(to-g.start)*tokenBytes])
		}
	}
	return text
}

// appendWord appends the text of one token that no server has given.
func appendWord(text []byte, source uint64, at int32) []byte {
	h := stats.Hash64(source, uint64(at))
	for range tokenBytes {
		text = append(text, letters[h&63])
		h >>= 6
	}
	return text
}
