// SPDX-License-Identifier: Apache-2.0

package parquetfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// A footer has a bounded number of bytes and of structures, such as chunks of columns. The
// library makes room for all of them, some 500 bytes each, before it reads them.
const maxFooterBytes, maxFooterStructs = 64 << 20, 1 << 20

// tailBytes is the length of the footer and the magic text behind it.
const tailBytes = 8

// checkFooter checks that the lengths in a file's footer fit what is there. It leaves all other
// faults to the library, which takes the lengths on trust.
func checkFooter(file io.ReaderAt, size int64) error {
	var tail [tailBytes]byte
	if size < 2*tailBytes {
		return nil
	}
	if _, err := file.ReadAt(tail[:], size-tailBytes); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("the end of the file cannot be read: %w", err)
	}
	length := int64(binary.LittleEndian.Uint32(tail[:]))
	switch {
	case string(tail[4:]) != "PAR1":
		return nil
	case length > size-tailBytes:
		return fmt.Errorf("the footer has %d bytes, more than the file", length)
	case length > maxFooterBytes:
		return fmt.Errorf("the footer has %d bytes, more than %d: use greater row groups", length, maxFooterBytes)
	}
	footer := make([]byte, length)
	if _, err := file.ReadAt(footer, size-tailBytes-length); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("the footer cannot be read: %w", err)
	}
	_, err := thriftBytes(footer, maxFooterStructs)
	return err
}
