// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"windtunnel.dev/windtunnel/pkg/result"
)

// MaxChunkBytes bounds the data of one chunk: a ConfigMap holds a mebibyte,
// and its metadata and encoding need room too.
const MaxChunkBytes = 768 << 10

// Keys of a chunk's data.
const (
	// RowsKey holds one result row a line.
	RowsKey = "rows.jsonl"
	// DocumentsKey holds one whole result document a line.
	DocumentsKey = "documents.jsonl"
	// DecisionsKey holds routing decisions, one a line and compressed.
	DecisionsKey = "decisions.jsonl.gz"
)

// Chunk is a piece of a shard's results, as a ConfigMap holds it.
type Chunk struct {
	// Rows is the number of rows.
	Rows int
	// Data is the content by key, Binary that which is no text.
	Data   map[string]string
	Binary map[string][]byte
}

// SHA256 is the digest of the chunk's content, in hex.
func (c Chunk) SHA256() string {
	h := sha256.New()
	for _, key := range []string{RowsKey, DocumentsKey} {
		fmt.Fprintf(h, "%s %d\n%s", key, len(c.Data[key]), c.Data[key])
	}
	if decisions, ok := c.Binary[DecisionsKey]; ok {
		fmt.Fprintf(h, "%s %d\n%s", DecisionsKey, len(decisions), decisions)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Decode returns the chunk's rows.
func (c Chunk) Decode() ([]result.Row, error) {
	return result.ReadRows(bytes.NewReader([]byte(c.Data[RowsKey])))
}

// ErrTooLarge says that a result fits into no chunk.
var ErrTooLarge = errors.New("the result is too large for a cluster")

// Chunks cuts simulations, in order, into chunks of at most MaxChunkBytes.
// A simulation is never cut in two.
func Chunks(simulations []Simulation) ([]Chunk, error) {
	var chunks []Chunk
	var under chunkUnderWay
	for i := range simulations {
		s := &simulations[i]
		row, document, err := s.lines()
		if err != nil {
			return nil, err
		}
		size := len(row) + len(document) + len(s.Decisions)
		if size > MaxChunkBytes {
			return nil, fmt.Errorf("%w: the result under seed %d takes %d KiB, and a ConfigMap holds %d: have fewer tenants and classes",
				ErrTooLarge, s.Row.Seed, size>>10, MaxChunkBytes>>10)
		}
		if under.size()+size > MaxChunkBytes {
			chunks = append(chunks, under.chunk())
			under = chunkUnderWay{}
		}
		under.add(row, document, s.Decisions)
	}
	if under.count > 0 {
		chunks = append(chunks, under.chunk())
	}
	return chunks, nil
}

// chunkUnderWay gathers simulations.
type chunkUnderWay struct {
	count                      int
	rows, documents, decisions bytes.Buffer
}

func (c *chunkUnderWay) size() int { return c.rows.Len() + c.documents.Len() + c.decisions.Len() }

func (c *chunkUnderWay) add(row, document, decisions []byte) {
	c.count++
	c.rows.Write(row)
	c.documents.Write(document)
	c.decisions.Write(decisions)
}

func (c *chunkUnderWay) chunk() Chunk {
	chunk := Chunk{Rows: c.count, Data: map[string]string{RowsKey: c.rows.String()}}
	if c.documents.Len() > 0 {
		chunk.Data[DocumentsKey] = c.documents.String()
	}
	if c.decisions.Len() > 0 {
		chunk.Binary = map[string][]byte{DecisionsKey: c.decisions.Bytes()}
	}
	return chunk
}

// lines encodes a simulation's row and, if it is kept, its document.
func (s Simulation) lines() (row, document []byte, err error) {
	var b bytes.Buffer
	if err := result.WriteRows(&b, []result.Row{s.Row}); err != nil {
		return nil, nil, err
	}
	if s.Document == nil {
		return b.Bytes(), nil, nil
	}
	if document, err = json.Marshal(s.Document); err != nil {
		return nil, nil, fmt.Errorf("encode document of seed %d: %w", s.Row.Seed, err)
	}
	return b.Bytes(), append(document, '\n'), nil
}
