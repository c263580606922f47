// SPDX-License-Identifier: Apache-2.0

package prompt

// Extent is the run of tokens [Start, Start+Tokens) of one text. Texts are
// told apart by Source alone: equal sources mean equal tokens, different
// sources share none. Start and Tokens are at least 0.
type Extent struct {
	Source        uint64
	Start, Tokens int32
}

// Prompt is the concatenation of its extents. Prompts may share the memory of
// their extents, so no caller changes an extent that is part of a prompt.
type Prompt struct {
	Extents []Extent
	// Own counts the last extents that belong to this prompt alone: no other prompt goes on with
	// their first token where the shared part ends. 0 where that is not known. The source knows
	// it of prompts to come, so it saves time and memory only: no policy may decide by it.
	Own int
}

// Tokens returns the length of the prompt.
func (p Prompt) Tokens() int {
	n := 0
	for _, e := range p.Extents {
		n += int(e.Tokens)
	}
	return n
}

// Shared returns what other prompts may have too: p without its own extents.
func (p Prompt) Shared() Prompt { return Prompt{Extents: p.Extents[:len(p.Extents)-p.Own]} }

// Append returns p followed by e. It leaves p and the memory of its extents
// as they are, so that prompts which share memory do not see e.
func (p Prompt) Append(e Extent) Prompt {
	extents := make([]Extent, len(p.Extents)+1)
	extents[copy(extents, p.Extents)] = e
	return Prompt{Extents: extents}
}
