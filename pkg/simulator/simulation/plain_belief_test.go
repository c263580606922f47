// SPDX-License-Identifier: Apache-2.0

package simulation

// noteBelief counts, block by block, what the router promised of a prompt that a replica
// begins with and what was there. The last token is computed in any case.
func (p *plain) noteBelief(r *plainReplica, q *plainRequest) {
	if !q.Believed.Known {
		return
	}
	found := int64(q.Cached)
	for _, tokens := range q.tierTokens {
		found += tokens
	}
	promised := int64(0)
	for promised+int64(r.BlockTokens) < int64(q.Prompt) && promised < int64(q.Believed.Tokens) {
		promised += int64(r.BlockTokens)
	}
	promised = min(promised, int64(q.Believed.Tokens))
	cell := p.metrics.Cells[q.Cell]
	cell.BelievedPromptTokens += int64(q.Prompt)
	cell.PromisedTokens += promised
	cell.FoundTokens += found
	for token := range max(promised, found) {
		if token < promised && token < found {
			cell.KeptTokens++
		}
	}
}
