// SPDX-License-Identifier: Apache-2.0

package parquetfile

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// plainDictionary is PLAIN_DICTIONARY, which stands for PLAIN in a dictionary and for RLE_DICTIONARY
// in a page. Old programs write it.
const plainDictionary format.Encoding = 2

// maxHeaderBytes bounds the header of a page, which may have the least and the greatest value.
const maxHeaderBytes = 64 << 10

// pageChecker checks the pages of a chunk of a column before the library reads them: the library
// takes on trust how many values a page says it has, in its header or in a run, and makes room for
// all of them. A file whose bytes have changed may so take all memory, which no program survives.
// One page at a time is in memory.
type pageChecker struct {
	file io.ReaderAt
	size int64 // of the file

	in       *bufio.Reader
	page     []byte // memory of the last one
	unpacker unpacker
	protocol thrift.CompactProtocol
}

func newPageChecker(file io.ReaderAt, size int64) *pageChecker {
	return &pageChecker{file: file, size: size, in: bufio.NewReaderSize(nil, maxHeaderBytes)}
}

// check checks the pages of a chunk of a column.
func (p *pageChecker) check(c *column, chunk *format.ColumnMetaData) error {
	start := chunk.DataPageOffset
	if chunk.DictionaryPageOffset != 0 {
		start = chunk.DictionaryPageOffset
	}
	if start < 0 || chunk.TotalCompressedSize < 0 || start > p.size || chunk.TotalCompressedSize > p.size-start {
		return fmt.Errorf("pages of %d bytes at byte %d lie beyond the %d bytes of the file", chunk.TotalCompressedSize, start, p.size)
	}
	p.in.Reset(io.NewSectionReader(p.file, start, chunk.TotalCompressedSize))
	for left := chunk.TotalCompressedSize; left > 0; {
		n, err := p.checkPage(c, chunk.Codec, left)
		if err != nil {
			return err
		}
		left -= n
	}
	return nil
}

// checkPage checks the next page of the bytes that are left, and returns how many it has.
func (p *pageChecker) checkPage(c *column, codec format.CompressionCodec, left int64) (int64, error) {
	start, err := p.in.Peek(int(min(left, maxHeaderBytes)))
	if err != nil {
		return 0, err
	}
	n, err := thriftBytes(start, maxHeaderBytes)
	if err != nil {
		return 0, fmt.Errorf("header of a page: %w", err)
	}
	var header format.PageHeader
	if err := thrift.Unmarshal(&p.protocol, start[:n], &header); err != nil {
		return 0, fmt.Errorf("header of a page: %w", err)
	}
	size := int64(header.CompressedPageSize)
	switch {
	case size < 0 || size > left-int64(n):
		return 0, fmt.Errorf("a page of %d bytes lies beyond those of its column", size)
	case size > maxPageBytes || header.UncompressedPageSize > maxPageBytes:
		return 0, errLargePage
	}
	if _, err := p.in.Discard(n); err != nil {
		return 0, err
	}
	if int64(cap(p.page)) < size {
		p.page = make([]byte, size)
	}
	p.page = p.page[:size]
	if _, err := io.ReadFull(p.in, p.page); err != nil {
		return 0, err
	}
	return int64(n) + size, p.checkContent(c, codec, &header)
}

// checkContent checks what is in a page.
func (p *pageChecker) checkContent(c *column, codec format.CompressionCodec, header *format.PageHeader) error {
	switch {
	case header.Type == format.DictionaryPage && header.DictionaryPageHeader.Valid:
		values, encoding := header.DictionaryPageHeader.V.NumValues, header.DictionaryPageHeader.V.Encoding
		page, err := p.unpacker.unpack(codec, p.page)
		if err != nil || encoding == plainDictionary {
			return errors.Join(err, checkCount(values))
		}
		return errors.Join(checkCount(values), checkValues(encoding, page))
	case header.Type == format.DataPage && header.DataPageHeader.Valid:
		return p.checkFirst(c, codec, &header.DataPageHeader.V)
	case header.Type == format.DataPageV2 && header.DataPageHeaderV2.Valid:
		return p.checkSecond(c, codec, &header.DataPageHeaderV2.V)
	}
	return nil // which the library refuses
}

// checkFirst checks a page of the first version, which is compressed as a whole. Its levels come
// with their lengths.
func (p *pageChecker) checkFirst(c *column, codec format.CompressionCodec, header *format.DataPageHeader) error {
	if err := checkCount(header.NumValues); err != nil {
		return err
	}
	page, err := p.unpacker.unpack(codec, p.page)
	if err != nil {
		return err
	}
	for _, levels := range []struct {
		most     int
		encoding format.Encoding
	}{{c.repetitions, header.RepetitionLevelEncoding}, {c.definitions, header.DefinitionLevelEncoding}} {
		if levels.most == 0 {
			continue
		}
		if len(page) < 4 || uint64(binary.LittleEndian.Uint32(page)) > uint64(len(page)-4) {
			return errors.New("a page ends early")
		}
		end := 4 + int(binary.LittleEndian.Uint32(page))
		if levels.encoding == format.RLE {
			if err := checkRuns(page[4:end], bits.Len(uint(levels.most))); err != nil {
				return err
			}
		}
		page = page[end:]
	}
	return checkValues(header.Encoding, page)
}

// checkSecond checks a page of the second version, whose levels come first and are not compressed.
func (p *pageChecker) checkSecond(c *column, codec format.CompressionCodec, header *format.DataPageHeaderV2) error {
	if err := checkCount(header.NumValues); err != nil {
		return err
	}
	page := p.page
	for _, levels := range []struct {
		most   int
		length int32
	}{{c.repetitions, header.RepetitionLevelsByteLength}, {c.definitions, header.DefinitionLevelsByteLength}} {
		if levels.length < 0 || int64(levels.length) > int64(len(page)) {
			return errors.New("a page ends early")
		}
		if levels.most > 0 {
			if err := checkRuns(page[:levels.length], bits.Len(uint(levels.most))); err != nil {
				return err
			}
		}
		page = page[levels.length:]
	}
	if !header.IsCompressed.Valid || header.IsCompressed.V {
		var err error
		if page, err = p.unpacker.unpack(codec, page); err != nil {
			return err
		}
	}
	return checkValues(header.Encoding, page)
}

// checkCount checks how many values a page says it has.
func checkCount(values int32) error {
	if values < 0 || values > maxPageValues {
		return fmt.Errorf("a page has %d values, more than %d: use smaller pages", values, maxPageValues)
	}
	return nil
}

// checkValues checks the values of a page.
func checkValues(encoding format.Encoding, values []byte) error {
	switch encoding {
	case format.Plain, format.ByteStreamSplit:
		return nil // each value has its bytes
	case plainDictionary, format.RLEDictionary:
		return checkIndices(values)
	case format.DeltaBinaryPacked, format.DeltaLengthByteArray:
		return checkDeltas(values)
	}
	return fmt.Errorf("a page must be encoded as PLAIN, RLE_DICTIONARY, DELTA_BINARY_PACKED, DELTA_LENGTH_BYTE_ARRAY or BYTE_STREAM_SPLIT, got %s", encoding)
}
