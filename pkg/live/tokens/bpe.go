// SPDX-License-Identifier: Apache-2.0

package tokens

import (
	"container/heap"
	"regexp"
	"strings"

	"github.com/dlclark/regexp2"
	"golang.org/x/text/unicode/norm"
)

// BPE is byte-pair encoding of bytes, as the models of Llama 3 and Qwen have it. It may be used
// concurrently.
type BPE struct {
	// special finds added tokens, which no pattern splits; nil where there are none.
	special *regexp.Regexp
	added   map[string]uint32
	// compose brings text into the form NFC.
	compose bool
	// words splits text into pieces, which have tokens of their own.
	words *regexp2.Regexp
	// ids are tokens by their bytes, texts the bytes by id, bytes the ids of single bytes.
	ids   map[string]uint32
	texts map[uint32]string
	bytes [256]uint32
	// merges are what two tokens in a row become, the first of the list first. whole has a piece that
	// is a token be that one without merges.
	merges map[[2]uint32]merge
	whole  bool
	// begin comes before each prompt.
	begin []uint32
}

// merge is a token in place of two.
type merge struct {
	rank int
	id   uint32
}

// Begin returns the tokens before each prompt.
func (b *BPE) Begin() []uint32 { return b.begin }

// Encode returns the ids of a text, without those of Begin.
func (b *BPE) Encode(text string) (ids []uint32) {
	for text != "" {
		from, to := len(text), len(text)
		if b.special != nil {
			if at := b.special.FindStringIndex(text); at != nil {
				from, to = at[0], at[1]
			}
		}
		ids = b.encodePlain(ids, text[:from])
		if to > from {
			ids = append(ids, b.added[text[from:to]])
		}
		text = text[to:]
	}
	return ids
}

// encodePlain appends the ids of a text without added tokens.
func (b *BPE) encodePlain(ids []uint32, text string) []uint32 {
	if b.compose {
		text = norm.NFC.String(text)
	}
	runes := []rune(text)
	end := 0
	m, err := b.words.FindRunesMatch(runes)
	for ; m != nil && err == nil; m, err = b.words.FindNextMatch(m) {
		ids = b.encodePiece(ids, string(runes[end:m.Index]))
		ids = b.encodePiece(ids, m.String())
		end = m.Index + m.Length
	}
	return b.encodePiece(ids, string(runes[end:])) // an error is a time-out, and there is none
}

// encodePiece appends the ids of a piece.
func (b *BPE) encodePiece(ids []uint32, piece string) []uint32 {
	if id, is := b.ids[piece]; is && (b.whole || len(piece) == 1) {
		return append(ids, id)
	}
	if piece == "" {
		return ids
	}
	parts := make([]part, len(piece))
	for i := range len(piece) {
		parts[i] = part{id: b.bytes[piece[i]], before: i - 1, after: i + 1}
	}
	queue := &pairs{}
	for i := range parts[:len(parts)-1] {
		b.propose(queue, parts, i)
	}
	for queue.Len() > 0 {
		p := heap.Pop(queue).(pair)
		if parts[p.at].gone || parts[p.at].id != p.left || p.after >= len(parts) || parts[p.after].gone || parts[p.at].after != p.after || parts[p.after].id != p.right {
			continue // one of the two has become part of another token
		}
		parts[p.at].id, parts[p.at].after, parts[p.after].gone = p.to.id, parts[p.after].after, true
		if next := parts[p.at].after; next < len(parts) {
			parts[next].before = p.at
			b.propose(queue, parts, p.at)
		}
		if before := parts[p.at].before; before >= 0 {
			b.propose(queue, parts, before)
		}
	}
	for i := 0; i < len(parts); i = parts[i].after {
		ids = append(ids, parts[i].id)
	}
	return ids
}

// part is a token of a piece, in a list of those that are left.
type part struct {
	id            uint32
	before, after int
	gone          bool
}

// pair is two tokens in a row that may become one.
type pair struct {
	to          merge
	at, after   int
	left, right uint32
}

// propose queues the merge of a part and the next one, if there is one.
func (b *BPE) propose(queue *pairs, parts []part, at int) {
	after := parts[at].after
	left, right := parts[at].id, parts[after].id
	if to, is := b.merges[[2]uint32{left, right}]; is {
		heap.Push(queue, pair{to, at, after, left, right})
	}
}

// pairs is a heap: the first merge of the list comes first, and of the same ones the first in the text.
type pairs []pair

func (p pairs) Len() int      { return len(p) }
func (p pairs) Swap(i, j int) { p[i], p[j] = p[j], p[i] }
func (p pairs) Less(i, j int) bool {
	return p[i].to.rank < p[j].to.rank || p[i].to.rank == p[j].to.rank && p[i].at < p[j].at
}
func (p *pairs) Push(x any) { *p = append(*p, x.(pair)) }
func (p *pairs) Pop() any {
	last := (*p)[len(*p)-1]
	*p = (*p)[:len(*p)-1]
	return last
}

// Decode returns the text of ids. Ids without a token have none.
func (b *BPE) Decode(ids []uint32) string {
	var text strings.Builder
	for _, id := range ids {
		text.WriteString(b.texts[id])
	}
	return text.String()
}
