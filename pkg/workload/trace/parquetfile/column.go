// SPDX-License-Identifier: Apache-2.0

package parquetfile

import (
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
)

// valuesAtOnce is how many values of a column are unpacked at a time, each of 24 bytes.
const valuesAtOnce = 128

// column reads the values of one column.
type column struct {
	name     string
	index    int  // in the file
	unsigned bool // whether its numbers are
	// entryLevel is the definition level from which on a list has an entry.
	entryLevel int
	// repetitions and definitions are the greatest levels.
	repetitions, definitions int
	values                   parquet.ColumnChunkValueReader // of a row group
	buffer                   []parquet.Value
	rest                     []parquet.Value // of the buffer
}

// begin goes to the first value of a row group.
func (c *column) begin(chunks []parquet.ColumnChunk) {
	if c.values != nil {
		_ = c.values.Close() // which only gives memory back
	}
	c.values, c.rest = parquet.NewColumnChunkValueReader(chunks[c.index]), nil
	if c.buffer == nil {
		c.buffer = make([]parquet.Value, valuesAtOnce)
	}
}

// next returns the next value, which is valid until the next call. The end of the values is
// an error.
func (c *column) next() (parquet.Value, error) {
	value, err := c.peek()
	if errors.Is(err, io.EOF) {
		err = fmt.Errorf("%s: has fewer values than rows", c.name)
	}
	if err != nil {
		return value, err
	}
	c.rest = c.rest[1:]
	return value, nil
}

// peek returns the value that is next; io.EOF after the last one.
func (c *column) peek() (parquet.Value, error) {
	for len(c.rest) == 0 {
		n, err := c.values.ReadValues(c.buffer)
		c.rest = c.buffer[:n]
		if n > 0 {
			break // the error comes back
		}
		if errors.Is(err, io.EOF) {
			return parquet.Value{}, io.EOF
		}
		if err != nil {
			return parquet.Value{}, fmt.Errorf("%s: cannot be read: %w", c.name, err)
		}
	}
	return c.rest[0], nil
}

// integer returns a value of a column of whole numbers; 0 for null.
func (c *column) integer(v parquet.Value) int64 {
	switch {
	case v.IsNull():
		return 0
	case v.Kind() == parquet.Int64:
		return v.Int64()
	case c.unsigned:
		return int64(v.Uint32())
	default:
		return int64(v.Int32())
	}
}
