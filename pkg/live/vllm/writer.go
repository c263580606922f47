// SPDX-License-Identifier: Apache-2.0

package vllm

import (
	"slices"
	"strings"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// words are what answers are made of. With the space before it, each is one or two whole tokens of
// tokens.Bytes4, so that an answer has the same tokens when a later prompt repeats it.
var words = []string{
	"the", "and", "for", "but", "not", "one", "two", "new", "old", "has", "was", "can", "may", "all", "big", "run", "set",
	"replica", "request", "service", "between", "without", "through", "because", "another", "several", "cluster", "measure",
	"reading", "writing", "against", "problem", "message", "present", "example", "general", "history", "morning", "evening",
}

// writer writes answers. It may be used concurrently.
type writer struct {
	// words are token ids, ends how many bytes of text are there after each token of a word.
	words [][]uint32
	ends  [][]int
	// lengths are ascending.
	lengths []int
}

func newWriter(t Tokenizer, lengths []int) writer {
	w := writer{lengths: slices.Sorted(slices.Values(lengths))}
	for _, word := range words {
		ids := t.Encode(" " + word)
		end, ends := 0, []int(nil)
		for _, id := range ids {
			end += len(t.Decode([]uint32{id}))
			ends = append(ends, end)
		}
		w.words, w.ends = append(w.words, ids), append(w.ends, ends)
	}
	return w
}

// wish is what a request says about an answer.
type wish struct {
	// most bounds the answer, least keeps it from ending before; in tokens.
	most, least int
	// ignoreEnd has the answer go on to its bound.
	ignoreEnd bool
	// stops end the answer before, or with includeStop behind, the text. stopIDs end it with the token.
	stops       []string
	includeStop bool
	stopIDs     []uint32
}

// written is an answer.
type written struct {
	ids []uint32
	// most is the bound of the tokens.
	most int
	// text is what the client gets. Up to token i, included, it gets ends[i] bytes of it.
	text string
	ends []int
	// finish is stop or length, reason the stop text or the id that ended the answer; nil is none.
	finish string
	reason any
}

// write writes the answer of a seed, which is the same whenever it is asked for.
func (w *writer) write(seed uint64, o *wish) written {
	n, finish := o.most, "length"
	if drawn := w.draw(seed); !o.ignoreEnd && max(drawn, o.least) <= n {
		n, finish = max(drawn, o.least), "stop"
	}
	a := written{ids: make([]uint32, 0, n), most: o.most, ends: make([]int, 0, n), finish: finish}
	var text strings.Builder
	for i := uint64(2); len(a.ids) < n; i++ {
		pick := stats.Hash64(seed, i) % uint64(len(w.words))
		ids, ends := w.words[pick], w.ends[pick]
		room := min(len(ids), n-len(a.ids))
		for j := range room {
			a.ids, a.ends = append(a.ids, ids[j]), append(a.ends, text.Len()+ends[j])
		}
		text.WriteString(" " + words[pick])
	}
	a.text = text.String()[:a.ends[n-1]]
	a.stopAtText(o)
	a.stopAtID(o)
	return a
}

// draw is the length of the answer of a seed.
func (w *writer) draw(seed uint64) int {
	return w.lengths[stats.Hash64(seed, 1)%uint64(len(w.lengths))]
}

// stopAtText ends the answer with the first token, after its least length, that completes a stop text:
// the one that the request names first, as vLLM does.
func (a *written) stopAtText(o *wish) {
	from := 0
	if o.least > 0 {
		from = a.ends[min(o.least, len(a.ends))-1]
	}
	last, at, found := len(a.ids), 0, ""
	for _, stop := range o.stops {
		begin := max(from-len(stop)+1, 0)
		i := strings.Index(a.text[begin:], stop)
		if i < 0 {
			continue
		}
		if token, _ := slices.BinarySearch(a.ends, begin+i+len(stop)); token < last {
			last, at, found = token, begin+i, stop
		}
	}
	if found == "" {
		return
	}
	if o.includeStop {
		at += len(found)
	}
	a.cut(last+1, at, found)
}

// stopAtID ends the answer with the first token that ends it.
func (a *written) stopAtID(o *wish) {
	for i := o.least; i < len(a.ids); i++ {
		if slices.Contains(o.stopIDs, a.ids[i]) {
			a.cut(i+1, a.ends[i], a.ids[i])
			return
		}
	}
}

// cut keeps some tokens, and so many bytes of text.
func (a *written) cut(tokens, bytes int, reason any) {
	a.ids, a.ends, a.text, a.finish, a.reason = a.ids[:tokens], a.ends[:tokens], a.text[:bytes], "stop", reason
	for i := range a.ends {
		a.ends[i] = min(a.ends[i], bytes)
	}
}

// piece is the text of the tokens from one up to another.
func (a *written) piece(from, to int) string {
	begin := 0
	if from > 0 {
		begin = a.ends[from-1]
	}
	return a.text[begin:a.ends[to-1]]
}
