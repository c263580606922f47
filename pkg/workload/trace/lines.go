// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
)

// maxLineBytes bounds a line, so that a file which is no trace at all is an
// error before it fills the memory. The longest prompt that workload.MaxTokens admits
// has some 20 000 block ids of at most 20 digits.
const maxLineBytes = 1 << 20

var gzipMagic = []byte{0x1f, 0x8b}

// lineReader reads the lines of a text.
type lineReader struct {
	lines  *bufio.Scanner
	source *failureRecorder
	hash   hash.Hash
	n      int // the number of the last line, from 1
}

// newLineReader returns a reader of a text, which may be gzip-compressed.
func newLineReader(r io.Reader) (*lineReader, error) {
	in, err := decompressed(r)
	if err != nil {
		return nil, err
	}
	l := &lineReader{hash: sha256.New()}
	l.source = &failureRecorder{r: io.TeeReader(in, l.hash)}
	l.lines = bufio.NewScanner(l.source)
	l.lines.Buffer(make([]byte, 64<<10), maxLineBytes)
	l.lines.Split(func(data []byte, atEOF bool) (int, []byte, error) {
		// What a failed read leaves behind is no line, even if it looks like one.
		return bufio.ScanLines(data, atEOF && l.source.err == nil)
	})
	return l, nil
}

// next returns the next line without its end (LF or CR LF), which is valid until the next
// call; false after the last one. Errors name the row.
func (l *lineReader) next() ([]byte, bool, error) {
	if l.lines.Scan() {
		l.n++
		return l.lines.Bytes(), true, nil
	}
	if err := l.lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return nil, false, fmt.Errorf("row %d: longer than %d bytes", l.n+1, maxLineBytes)
	} else if err != nil {
		return nil, false, fmt.Errorf("row %d: read: %w", l.n+1, err)
	}
	return nil, false, nil
}

// digest returns the SHA-256 of the text, once all lines are read, in hex.
func (l *lineReader) digest() string { return hex.EncodeToString(l.hash.Sum(nil)) }

// digestOf returns the SHA-256 of a text in hex.
func digestOf(r io.Reader) (string, error) {
	hash := sha256.New()
	if _, err := io.Copy(hash, r); err != nil {
		return "", fmt.Errorf("read: %w", err)
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// ErrTooLong says that a trace's text has more bytes than it may have.
var ErrTooLong = errors.New("the trace is too long")

// DigestText returns the digest that Read gives of a text, without looking at
// what the text says: it holds a few kilobytes at a time. Past most bytes,
// decompressed, it returns ErrTooLong. Errors of reading are those of Read.
func DigestText(ctx context.Context, r io.Reader, name string, most int64) (string, error) {
	in, err := decompressed(r)
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	hash, buffer := sha256.New(), make([]byte, 64<<10)
	for rows, length := 1, int64(0); ; {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		n, err := in.Read(buffer)
		rows += bytes.Count(buffer[:n], []byte{'\n'})
		hash.Write(buffer[:n])
		switch length += int64(n); {
		case length > most:
			return "", ErrTooLong
		case errors.Is(err, io.EOF):
			return hex.EncodeToString(hash.Sum(nil)), nil
		case err != nil:
			return "", fmt.Errorf("%s: row %d: read: %w", name, rows, err)
		}
	}
}

// failureRecorder remembers the error that ended a reader, other than its end.
type failureRecorder struct {
	r   io.Reader
	err error
}

func (f *failureRecorder) Read(p []byte) (int, error) {
	n, err := f.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		f.err = err
	}
	return n, err
}

// decompressed returns the text of r, which may be gzip-compressed.
func decompressed(r io.Reader) (io.Reader, error) {
	buffered := bufio.NewReaderSize(r, 64<<10)
	magic, err := buffered.Peek(len(gzipMagic))
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read: %w", err)
	}
	if !bytes.Equal(magic, gzipMagic) {
		return buffered, nil
	}
	text, err := gzip.NewReader(buffered)
	if err != nil {
		return nil, fmt.Errorf("gzip: %w", err)
	}
	return text, nil
}
