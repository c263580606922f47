// SPDX-License-Identifier: Apache-2.0

package parquetfile

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"
)

// errLargePage is of a page that is too large.
var errLargePage = fmt.Errorf("a page has more than %d bytes: use smaller pages", maxPageBytes)

// unpacker decompresses pages, and no more of them than a page may have.
type unpacker struct {
	page []byte // memory of the last one
	gzip *gzip.Reader
	zstd *zstd.Decoder
}

// unpack decompresses a page, which is valid until the next call.
func (u *unpacker) unpack(codec format.CompressionCodec, text []byte) (page []byte, err error) {
	switch codec {
	case format.Uncompressed:
		return text, nil
	case format.Snappy:
		page, err = u.unpackSnappy(text)
	case format.Gzip:
		page, err = u.unpackGzip(text)
	case format.Zstd:
		page, err = u.unpackZstd(text)
	default:
		return nil, fmt.Errorf("compressed with %s", codec)
	}
	if err == nil {
		u.page = page
	}
	return page, err
}

func (u *unpacker) unpackSnappy(text []byte) ([]byte, error) {
	if size, err := snappy.DecodedLen(text); err != nil {
		return nil, err
	} else if size > maxPageBytes {
		return nil, errLargePage
	}
	return snappy.Decode(u.page[:cap(u.page)], text)
}

func (u *unpacker) unpackGzip(text []byte) (page []byte, err error) {
	if u.gzip == nil {
		u.gzip, err = gzip.NewReader(bytes.NewReader(text))
	} else {
		err = u.gzip.Reset(bytes.NewReader(text))
	}
	if err != nil {
		return nil, err
	}
	into := bytes.NewBuffer(u.page[:0])
	n, err := io.CopyN(into, u.gzip, maxPageBytes+1)
	if n > maxPageBytes {
		return nil, errLargePage
	}
	if !errors.Is(err, io.EOF) {
		return nil, err
	}
	return into.Bytes(), nil
}

func (u *unpacker) unpackZstd(text []byte) (page []byte, err error) {
	if u.zstd == nil {
		u.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxPageBytes))
		if err != nil {
			return nil, err
		}
	}
	page, err = u.zstd.DecodeAll(text, u.page[:0])
	if errors.Is(err, zstd.ErrDecoderSizeExceeded) {
		err = errLargePage
	}
	return page, err
}

// A page has a bounded number of values and of bytes, compressed or not. Writers make pages of
// 1 MiB, and DuckDB of 100 MB.
const maxPageValues, maxPageBytes = 1 << 24, 128 << 20
