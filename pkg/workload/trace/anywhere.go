// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
)

// maxWholeBytes bounds a file that is read as a whole. It takes less memory than text.
const maxWholeBytes = 4 << 30

// anywhere returns a file that can be read at any place, and its size. A file of the disk is
// read there. Of others, and of files that are compressed as a whole, the text is read into
// memory; memoryBytes bounds it, and 0 is without bound.
func anywhere(r io.Reader, memoryBytes int64) (io.ReaderAt, int64, error) {
	if file, size, ok := onDisk(r); ok {
		return file, size, nil
	}
	in, err := decompressed(r)
	if err != nil {
		return nil, 0, err
	}
	most := wholeBytes(memoryBytes)
	text, err := io.ReadAll(io.LimitReader(in, most+1))
	switch {
	case err != nil:
		return nil, 0, fmt.Errorf("read: %w", err)
	case int64(len(text)) > most:
		return nil, 0, longerThan(most)
	}
	return bytes.NewReader(text), int64(len(text)), nil
}

// onDisk returns a file of the disk that is not compressed as a whole.
func onDisk(r io.Reader) (io.ReaderAt, int64, bool) {
	file, ok := r.(interface {
		io.ReaderAt
		Stat() (fs.FileInfo, error)
	})
	if !ok {
		return nil, 0, false
	}
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, 0, false
	}
	var magic [2]byte
	if n, _ := file.ReadAt(magic[:], 0); bytes.Equal(magic[:n], gzipMagic) {
		return nil, 0, false
	}
	return file, info.Size(), true
}

// wholeBytes is how many bytes a file may have that is read into so much memory; 0 is
// without bound.
func wholeBytes(memoryBytes int64) int64 {
	if memoryBytes > 0 {
		return min(memoryBytes, maxWholeBytes)
	}
	return maxWholeBytes
}

func longerThan(bytes int64) error {
	return fmt.Errorf("longer than %d bytes, which are what it may take of memory", bytes)
}
