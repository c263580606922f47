// SPDX-License-Identifier: Apache-2.0

package replicas

import (
	"container/list"
	"slices"
	"sync"

	"windtunnel.dev/windtunnel/pkg/prompt"
)

// Names gives texts of token ids the extents by which engines know them: two texts have equal
// extents as far as they have equal tokens, once those that continue each other are one. It
// is a radix tree over the texts of late, and safe for concurrent use.
//
// An edge of the tree is a run of one source. The source of a text that nothing else goes on
// with grows with it, so that a conversation is one extent whatever the number of its turns.
type Names struct {
	mu   sync.Mutex
	most int
	root edge
	// tokens is those of all edges, each with edgeTokens more. sources numbers the sources from 1.
	tokens  int
	sources uint64
	// used is the edges, the last used first. An edge comes before those that go on from it.
	used list.List
}

// edgeTokens is how many tokens take as much memory as an edge does beside its own.
const edgeTokens = 64

// edge is tokens of a source, from start on.
type edge struct {
	parent *edge
	source uint64
	start  int32
	tokens []uint32
	// children go on from here, by their first token.
	children map[uint32]*edge
	// open says that the tokens end where all that is known of the source does. Then there are no
	// children, and whatever comes next belongs to the source.
	open bool
	used *list.Element
}

// NewNames returns a tree that remembers texts of at most so many tokens, and one text whatever its
// length. Each edge counts as 64 tokens more than it has.
func NewNames(tokens int) *Names {
	return &Names{most: tokens, root: edge{children: map[uint32]*edge{}}}
}

// Name returns the extents of a prompt and those of the answer to it, one or more of each that has
// tokens.
func (n *Names) Name(text, answer []uint32) (prompt.Prompt, []prompt.Extent) {
	n.mu.Lock()
	defer n.mu.Unlock()
	extents, last := n.walk(slices.Concat(text, answer))
	n.use(last)
	n.forget(last)
	before, after := cut(extents, int32(len(text)))
	return prompt.Prompt{Extents: before}, after
}

// walk returns the extents of a text, and the edge with which it ends, and adds what the tree does
// not have.
func (n *Names) walk(text []uint32) (extents []prompt.Extent, last *edge) {
	at := &n.root
	for len(text) > 0 {
		next := at.children[text[0]]
		if next == nil {
			e, added := n.grow(at, text)
			return append(extents, added), e
		}
		same := common(next.tokens, text)
		extents = append(extents, prompt.Extent{Source: next.source, Start: next.start, Tokens: int32(same)})
		text, at = text[same:], next
		if len(text) > 0 && same < len(next.tokens) {
			n.split(next, same)
		}
	}
	return extents, at
}

// grow adds a text behind an edge.
func (n *Names) grow(at *edge, text []uint32) (*edge, prompt.Extent) {
	n.tokens += len(text)
	if at.open {
		start := at.start + int32(len(at.tokens))
		at.tokens = append(at.tokens, text...)
		return at, prompt.Extent{Source: at.source, Start: start, Tokens: int32(len(text))}
	}
	n.sources++
	n.tokens += edgeTokens
	e := &edge{parent: at, source: n.sources, tokens: slices.Clone(text), open: true}
	e.used = n.used.PushFront(e)
	at.children[text[0]] = e
	return e, prompt.Extent{Source: e.source, Tokens: int32(len(text))}
}

// split has an edge end after some of its tokens; another one goes on with the others. Each has
// memory of its own, so that forgetting one frees it.
func (n *Names) split(e *edge, at int) {
	rest := &edge{
		parent: e, source: e.source, start: e.start + int32(at), tokens: slices.Clone(e.tokens[at:]),
		children: e.children, open: e.open,
	}
	for _, child := range rest.children {
		child.parent = rest
	}
	n.tokens += edgeTokens
	rest.used = n.used.InsertAfter(rest, e.used)
	e.tokens, e.open = slices.Clone(e.tokens[:at]), false
	e.children = map[uint32]*edge{rest.tokens[0]: rest}
}

// use notes that a text was used that ends with an edge.
func (n *Names) use(last *edge) {
	for e := last; e != &n.root; e = e.parent {
		n.used.MoveToFront(e.used)
	}
}

// forget drops edges that nothing goes on from, those first that were not used for longest, until
// no more tokens are left than may be, or the last text. What is forgotten of a source never
// comes back under its name.
func (n *Names) forget(last *edge) {
	for n.tokens > n.most {
		e := n.used.Back().Value.(*edge)
		if e == last {
			return
		}
		n.used.Remove(e.used)
		delete(e.parent.children, e.tokens[0])
		n.tokens -= len(e.tokens) + edgeTokens
	}
}

// common is how many leading tokens are equal.
func common(a, b []uint32) int {
	most := min(len(a), len(b))
	for i := range most {
		if a[i] != b[i] {
			return i
		}
	}
	return most
}

// cut returns the extents before and after a number of tokens, in as few as may be.
func cut(extents []prompt.Extent, at int32) (before, after []prompt.Extent) {
	for _, e := range extents {
		first := min(e.Tokens, at)
		before = join(before, prompt.Extent{Source: e.Source, Start: e.Start, Tokens: first})
		after = join(after, prompt.Extent{Source: e.Source, Start: e.Start + first, Tokens: e.Tokens - first})
		at -= first
	}
	return before, after
}

// join appends an extent, to the last one if it continues that.
func join(extents []prompt.Extent, e prompt.Extent) []prompt.Extent {
	if e.Tokens == 0 {
		return extents
	}
	if n := len(extents); n > 0 {
		if last := &extents[n-1]; last.Source == e.Source && last.Start+last.Tokens == e.Start {
			last.Tokens += e.Tokens
			return extents
		}
	}
	return append(extents, e)
}
