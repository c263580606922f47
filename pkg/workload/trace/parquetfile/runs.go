// SPDX-License-Identifier: Apache-2.0

package parquetfile

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// checkRuns checks that the runs of Parquet's hybrid of run lengths and packed bits hold no more
// values than a page may have. A run of two billion values takes six bytes, and the library makes
// room for all of them.
func checkRuns(text []byte, bitWidth int) error {
	total := uint64(0)
	for len(text) > 0 {
		head, n := binary.Uvarint(text)
		if n <= 0 {
			return errors.New("a run ends early")
		}
		text = text[n:]
		values, bytes := head>>1, uint64(bitWidth+7)/8
		if head&1 != 0 { // groups of 8 values
			if values > uint64(len(text)) && bitWidth > 0 {
				return errors.New("a run ends early")
			}
			bytes = values * uint64(bitWidth)
			values *= 8
		}
		if total += values; total > maxPageValues || values > maxPageValues {
			return fmt.Errorf("a page has more than %d values", maxPageValues)
		}
		if bytes > uint64(len(text)) {
			return errors.New("a run ends early")
		}
		text = text[bytes:]
	}
	return nil
}

// checkIndices is checkRuns for indices into a dictionary, whose width comes first.
func checkIndices(text []byte) error {
	if len(text) == 0 {
		return nil
	}
	if text[0] > 32 {
		return fmt.Errorf("indices of %d bits", text[0])
	}
	return checkRuns(text[1:], int(text[0]))
}

// checkDeltas checks that a text of deltas says no more values than a page may have: the third
// number of its header.
func checkDeltas(text []byte) error {
	for range 2 {
		_, n := binary.Uvarint(text)
		if n <= 0 {
			return errors.New("deltas end early")
		}
		text = text[n:]
	}
	if values, n := binary.Uvarint(text); n <= 0 || values > maxPageValues {
		return fmt.Errorf("a page has more than %d values", maxPageValues)
	}
	return nil
}
