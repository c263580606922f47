// SPDX-License-Identifier: Apache-2.0

package calibrate

import (
	"encoding/json"
	"fmt"
	"io"
)

// blocksRow is a line of block identities.
type blocksRow struct {
	Input  *int     `json:"input_length"`
	Output *int     `json:"output_length"`
	IDs    []uint64 `json:"hash_ids"`
}

// ReadBlocks adds to requests, which are in the order of their log, the
// identities of their prompts' blocks of blockTokens tokens. Line i is about
// request i: a JSON object with input_length and output_length, which must be
// those of the log, and hash_ids, one for each full block. Lines beyond the
// log's are passed over. The first fault ends the reading with an error "name:
// line N: field: what".
func ReadBlocks(r io.Reader, name string, blockTokens int, requests []Request) error {
	next := 0
	err := eachLine(r, func(_ int, text []byte) error {
		if next == len(requests) {
			return nil
		}
		q := &requests[next]
		next++
		return q.readBlocks(text, blockTokens)
	})
	if err == nil && next < len(requests) {
		err = fmt.Errorf("has %d lines for %d requests", next, len(requests))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func (r *Request) readBlocks(text []byte, blockTokens int) error {
	var row blocksRow
	if err := json.Unmarshal(text, &row); err != nil {
		return fmt.Errorf("must be a JSON object: %w", err)
	}
	switch {
	case row.Input == nil || *row.Input != r.InputTokens:
		return fmt.Errorf("input_length: must be the log's %d tokens", r.InputTokens)
	case row.Output == nil || *row.Output != r.OutputTokens:
		return fmt.Errorf("output_length: must be the log's %d tokens", r.OutputTokens)
	case len(row.IDs) != r.InputTokens/blockTokens:
		return fmt.Errorf("hash_ids: must have %d ids, one for each full block of %d tokens, got %d",
			r.InputTokens/blockTokens, blockTokens, len(row.IDs))
	}
	r.Blocks, r.BlockTokens = row.IDs, blockTokens
	return nil
}
