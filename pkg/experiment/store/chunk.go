// SPDX-License-Identifier: Apache-2.0

package store

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/result"
)

// MaxChunkBytes bounds the data of one chunk: a ConfigMap holds a mebibyte,
// and its metadata and encoding need room too.
const MaxChunkBytes = 768 << 10

// maxRowsBytes bounds the text of the rows of one chunk. Rows of a fine grid, where most neighbours
// behave alike, take a fiftieth of it compressed. Who reads a chunk holds its rows, and not the text.
const maxRowsBytes = 64 << 20

// GzipOverhead is more than a gzip file of MaxChunkBytes takes beyond what it
// holds, where that cannot be compressed.
const GzipOverhead = 1 << 10

// Keys of a chunk's data.
const (
	// RowsKey holds one result row a line, compressed.
	RowsKey = "rows.jsonl.gz"
	// DocumentsKey holds one whole result document a line.
	DocumentsKey = "documents.jsonl"
	// DecisionsKey holds routing decisions, one a line and compressed.
	DecisionsKey = "decisions.jsonl.gz"
	// SeriesKey holds the time series of each simulation, one a line and compressed.
	SeriesKey = "series.jsonl.gz"
	// RehearsalKey holds the comparison of a simulation with a live run, compressed.
	RehearsalKey = "rehearsal.json.gz"
)

// Chunk is a piece of a shard's results, as a ConfigMap holds it.
type Chunk struct {
	// Rows is the number of rows.
	Rows int
	// Data is the content by key, Binary that which is no text.
	Data   map[string]string
	Binary map[string][]byte
}

// SHA256 is the digest of the chunk's content, in hex. Of the rows it is that
// of their lines: how they are compressed does not matter.
func (c Chunk) SHA256() string {
	digest, _ := c.read(func(io.Reader, int) error { return nil })
	return digest
}

// read returns the chunk's digest, and has a function read the lines on the way, of which there is a
// number. The error is that of
// the function, or of lines that cannot be had: then the digest is of what is there instead.
func (c Chunk) read(f func(lines io.Reader, n int) error) (digest string, err error) {
	h := sha256.New()
	var n lineCounter
	size, err := io.Copy(&n, c.lines())
	if err != nil {
		fmt.Fprintf(h, "%s %d\n%s", RowsKey, len(c.Binary[RowsKey]), c.Binary[RowsKey])
	} else {
		fmt.Fprintf(h, "%s %d\n", RowsKey, size)
		lines := io.TeeReader(c.lines(), h)
		err = f(lines, int(n))
		_, _ = io.Copy(io.Discard, lines) // what f left, which is there
	}
	fmt.Fprintf(h, "%s %d\n%s", DocumentsKey, len(c.Data[DocumentsKey]), c.Data[DocumentsKey])
	for _, key := range []string{DecisionsKey, SeriesKey, RehearsalKey} {
		if more, ok := c.Binary[key]; ok {
			fmt.Fprintf(h, "%s %d\n%s", key, len(more), more)
		}
	}
	return hex.EncodeToString(h.Sum(nil)), err
}

// lineCounter counts the ends of lines.
type lineCounter int

func (n *lineCounter) Write(b []byte) (int, error) {
	*n += lineCounter(bytes.Count(b, []byte{'\n'}))
	return len(b), nil
}

// lines reads the chunk's rows as they are written, one a line.
func (c Chunk) lines() io.Reader { return &lineReader{packed: c.Binary[RowsKey], left: maxRowsBytes} }

// lineReader unpacks lines, up to a number of bytes.
type lineReader struct {
	packed   []byte
	left     int
	unpacked *gzip.Reader
}

func (r *lineReader) Read(b []byte) (n int, err error) {
	if r.unpacked == nil {
		r.unpacked, err = gzip.NewReader(bytes.NewReader(r.packed))
	}
	if err == nil {
		n, err = r.unpacked.Read(b)
	}
	if r.left -= n; r.left < 0 {
		return 0, fmt.Errorf("%s: holds more than %d MiB", RowsKey, maxRowsBytes>>20)
	}
	if err != nil && !errors.Is(err, io.EOF) || r.unpacked == nil {
		err = fmt.Errorf("%s: %w", RowsKey, err)
	}
	return n, err
}

// Lines returns the chunk's rows as they are written, one a line.
func (c Chunk) Lines() ([]byte, error) { return io.ReadAll(c.lines()) }

// Decode returns the chunk's rows.
func (c Chunk) Decode() ([]result.Row, error) {
	rows, _, err := c.DecodeAndDigest(math.MaxInt)
	return rows, err
}

// DecodeAndDigest returns the chunk's rows, and its digest, which it also returns with an error. A chunk
// with more rows than most is one: short lines unpack to many times their size in rows.
func (c Chunk) DecodeAndDigest(most int) (rows []result.Row, digest string, err error) {
	digest, err = c.read(func(lines io.Reader, n int) (err error) {
		if n > most {
			return fmt.Errorf("%s: holds %d rows, and at most %d are expected", RowsKey, n, most)
		}
		rows, err = result.ReadRows(lines)
		return err
	})
	return rows, digest, err
}

// ErrTooLarge says that a result fits into no chunk.
var ErrTooLarge = errors.New("the result is too large for a cluster")

// Chunks cuts simulations, in order, into chunks of at most MaxChunkBytes.
// A simulation is never cut in two.
func Chunks(simulations []experiment.Simulation) ([]Chunk, error) {
	var chunks []Chunk
	under := newChunkUnderWay()
	for i := range simulations {
		s := &simulations[i]
		row, document, err := SimulationLines(*s)
		if err != nil {
			return nil, err
		}
		size := len(row) + len(document) + len(s.Decisions) + len(s.Rehearsal)
		if size > MaxChunkBytes-GzipOverhead {
			return nil, fmt.Errorf("%w: the result under seed %d takes %d KiB, and a ConfigMap holds %d: have fewer tenants and classes",
				ErrTooLarge, s.Row.Seed, size>>10, MaxChunkBytes>>10)
		}
		series, err := packSeries(s, MaxChunkBytes-GzipOverhead-size)
		if err != nil {
			return nil, err
		}
		size += len(series)
		if !under.hasRoom(size, len(row)) {
			chunks = append(chunks, under.chunk())
			under = newChunkUnderWay()
		}
		under.add(row, document, s.Decisions, series, s.Rehearsal)
	}
	if under.count > 0 {
		chunks = append(chunks, under.chunk())
	}
	return chunks, nil
}

// chunkUnderWay gathers simulations.
type chunkUnderWay struct {
	count                                         int
	rows, documents, decisions, series, rehearsal bytes.Buffer
	// z compresses into rows; pending is how much of what it was given may not
	// be there yet, written all that it was given.
	z                *gzip.Writer
	pending, written int
}

func newChunkUnderWay() *chunkUnderWay {
	c := &chunkUnderWay{}
	c.z = gzip.NewWriter(&c.rows)
	return c
}

// hasRoom reports whether a number of further bytes fit in, of which a row has some,
// however badly that compresses.
func (c *chunkUnderWay) hasRoom(size, row int) bool {
	if c.written+row > maxRowsBytes {
		return false
	}
	if c.size()+size > MaxChunkBytes {
		_ = c.z.Flush() // into memory
		c.pending = 0
	}
	return c.size()+size <= MaxChunkBytes
}

// size is the most that the chunk may take by now.
func (c *chunkUnderWay) size() int {
	return c.rows.Len() + c.pending + GzipOverhead + c.documents.Len() + c.decisions.Len() + c.series.Len() + c.rehearsal.Len()
}

func (c *chunkUnderWay) add(row, document, decisions, series, rehearsal []byte) {
	c.count++
	c.pending += len(row)
	c.written += len(row)
	_, _ = c.z.Write(row) // into memory
	c.documents.Write(document)
	c.decisions.Write(decisions)
	c.series.Write(series)
	c.rehearsal.Write(rehearsal)
}

func (c *chunkUnderWay) chunk() Chunk {
	_ = c.z.Close() // into memory
	chunk := Chunk{Rows: c.count, Binary: map[string][]byte{RowsKey: c.rows.Bytes()}}
	if c.documents.Len() > 0 {
		chunk.Data = map[string]string{DocumentsKey: c.documents.String()}
	}
	if c.decisions.Len() > 0 {
		chunk.Binary[DecisionsKey] = c.decisions.Bytes()
	}
	if c.series.Len() > 0 {
		chunk.Binary[SeriesKey] = c.series.Bytes()
	}
	if c.rehearsal.Len() > 0 {
		chunk.Binary[RehearsalKey] = c.rehearsal.Bytes()
	}
	return chunk
}

// SimulationLines encodes a simulation's row and, if it is kept, its document.
func SimulationLines(s experiment.Simulation) (row, document []byte, err error) {
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
