// SPDX-License-Identifier: Apache-2.0

package parquetfile

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// The types of values in Thrift's compact protocol.
const (
	thriftStop = iota
	thriftTrue
	thriftFalse
	thriftByte
	thriftInt16
	thriftInt32
	thriftInt64
	thriftDouble
	thriftBinary
	thriftList
	thriftSet
	thriftMap
	thriftStruct
	thriftUUID
)

// maxThriftDepth is more than the structures of Parquet have.
const maxThriftDepth = 32

// thriftWalk goes through a structure of Thrift's compact protocol without keeping any of it.
type thriftWalk struct {
	rest    []byte
	structs int // that there may still be
}

// thriftBytes returns how many bytes a structure takes that a text begins with. Lengths beyond the
// text, and more than a number of structures in it, are errors.
func thriftBytes(text []byte, structs int) (int, error) {
	w := thriftWalk{text, structs}
	if err := w.skip(thriftStruct, 0); err != nil {
		return 0, err
	}
	return len(text) - len(w.rest), nil
}

var errThriftEnds = errors.New("a structure ends early")

// skip skips a value, a member of a list or a structure.
func (w *thriftWalk) skip(kind byte, depth int) error {
	if depth > maxThriftDepth {
		return errors.New("structures lie too deep in each other")
	}
	switch kind {
	case thriftTrue, thriftFalse, thriftByte:
		return w.bytes(1)
	case thriftInt16, thriftInt32, thriftInt64:
		_, err := w.number()
		return err
	case thriftDouble:
		return w.bytes(8)
	case thriftUUID:
		return w.bytes(16)
	case thriftBinary:
		n, err := w.number()
		if err != nil {
			return err
		}
		return w.bytes(n)
	case thriftList, thriftSet:
		return w.list(depth)
	case thriftMap:
		return w.pairs(depth)
	case thriftStruct:
		return w.fields(depth)
	}
	return fmt.Errorf("a structure has a value of the unknown type %d", kind)
}

// bytes skips a number of bytes.
func (w *thriftWalk) bytes(n uint64) error {
	if n > uint64(len(w.rest)) {
		return errThriftEnds
	}
	w.rest = w.rest[n:]
	return nil
}

func (w *thriftWalk) byte() (byte, error) {
	if len(w.rest) == 0 {
		return 0, errThriftEnds
	}
	b := w.rest[0]
	w.rest = w.rest[1:]
	return b, nil
}

func (w *thriftWalk) number() (uint64, error) {
	value, n := binary.Uvarint(w.rest)
	if n <= 0 {
		return 0, errThriftEnds
	}
	w.rest = w.rest[n:]
	return value, nil
}

// fields skips the fields of a structure.
func (w *thriftWalk) fields(depth int) error {
	if w.structs--; w.structs < 0 {
		return errors.New("a structure has too many others in it")
	}
	for {
		head, err := w.byte()
		if err != nil || head == thriftStop {
			return err
		}
		if head>>4 == 0 { // the field's number follows
			if _, err := w.number(); err != nil {
				return err
			}
		}
		if kind := head & 15; kind != thriftTrue && kind != thriftFalse { // which are their own value
			if err := w.skip(kind, depth+1); err != nil {
				return err
			}
		}
	}
}

// list skips a list. Each member takes a byte at least.
func (w *thriftWalk) list(depth int) error {
	head, err := w.byte()
	if err != nil {
		return err
	}
	n := uint64(head >> 4)
	if n == 15 {
		if n, err = w.number(); err != nil {
			return err
		}
	}
	return w.members(n, depth, head&15)
}

// pairs skips a map.
func (w *thriftWalk) pairs(depth int) error {
	n, err := w.number()
	if err != nil || n == 0 {
		return err
	}
	head, err := w.byte()
	if err != nil {
		return err
	}
	return w.members(n, depth, head>>4, head&15)
}

// members skips a number of groups of values of these types.
func (w *thriftWalk) members(n uint64, depth int, kinds ...byte) error {
	if n > uint64(len(w.rest)) {
		return fmt.Errorf("a list has %d members in %d bytes", n, len(w.rest))
	}
	for range n {
		for _, kind := range kinds {
			if err := w.skip(kind, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}
