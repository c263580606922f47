// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unsafe"
)

// agentMemory counts what a file of agents takes of memory.
type agentMemory struct {
	most          int64 // bytes; 0 is without bound
	calls, blocks int
	other         int64 // bytes
}

func (m *agentMemory) bytes() int64 {
	return int64(m.calls)*int64(unsafe.Sizeof(agentCall{})) + int64(m.blocks)*8 + m.other
}

// take counts calls, blocks and other bytes.
func (m *agentMemory) take(calls, blocks int, other int64) error {
	m.calls, m.blocks, m.other = m.calls+calls, m.blocks+blocks, m.other+other
	if needs := grown(m.bytes()); m.most > 0 && needs > m.most {
		return tooLarge(m.calls, m.blocks, needs, m.most)
	}
	return nil
}

// takeWaits counts a list of calls that others wait for.
func (m *agentMemory) takeWaits(calls int) error { return m.take(0, 0, int64(calls)*8) }

const (
	// maxValueBytes bounds a JSON value, which is all in memory.
	maxValueBytes = 256 << 20
	// valueCopies is about how many times the bytes of a JSON value are in memory while it is read.
	valueCopies = 8
)

// agentValues reads JSON values, one after the other or in arrays.
type agentValues struct {
	in          io.Reader
	held        *agentMemory
	decoder     *json.Decoder
	inside      bool  // an array
	read, begin int64 // bytes of all, and before the value
	tooLong     error
}

func newAgentValues(in io.Reader, held *agentMemory) *agentValues {
	v := &agentValues{in: in, held: held}
	v.decoder = json.NewDecoder(v)
	return v
}

// Read implements io.Reader for the decoder. A value longer than there is memory for is an error.
func (v *agentValues) Read(p []byte) (int, error) {
	most := int64(maxValueBytes)
	if v.held.most > 0 {
		most = min(most, (v.held.most-grown(v.held.bytes()))/valueCopies)
	}
	if v.read-v.begin > most {
		v.tooLong = fmt.Errorf("is longer than %d bytes, the most that a JSON value may have in this memory", most)
		return 0, v.tooLong
	}
	n, err := v.in.Read(p[:min(len(p), 64<<10)])
	v.read += int64(n)
	return n, err
}

// next returns the next value; io.EOF after the last one.
func (v *agentValues) next() (json.RawMessage, error) {
	for v.atBracket() {
		if _, err := v.decoder.Token(); err != nil {
			return nil, v.invalid(err)
		}
		v.inside = !v.inside
	}
	var value json.RawMessage
	if err := v.decoder.Decode(&value); err != nil {
		return nil, v.invalid(err)
	}
	return value, nil
}

// invalid says why there is no value. The end of the file is none in an array.
func (v *agentValues) invalid(err error) error {
	switch {
	case v.tooLong != nil:
		return v.tooLong
	case !errors.Is(err, io.EOF):
	case v.inside:
		err = io.ErrUnexpectedEOF
	default:
		return err
	}
	return fmt.Errorf("is not valid JSON: %w", err)
}

// atBracket reports whether an array begins, or the one that is read ends.
func (v *agentValues) atBracket() bool {
	v.begin = v.decoder.InputOffset()
	more := v.decoder.More() // which leads to what is not space
	if v.inside {
		return !more
	}
	var first [1]byte
	n, _ := v.decoder.Buffered().Read(first[:])
	return n == 1 && first[0] == '['
}
