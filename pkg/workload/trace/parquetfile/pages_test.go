// SPDX-License-Identifier: Apache-2.0

package parquetfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/format"
)

func TestRunsHaveAtMostThePageOfValues(t *testing.T) {
	for name, tc := range map[string]struct {
		text     string
		bitWidth int
		want     string
	}{
		"nothing":                         {"", 1, "<nil>"},
		"a run of 3":                      {"\x06\x01", 1, "<nil>"},
		"a group of 8, and a run of 3":    {"\x03\xaa\x06\x01", 1, "<nil>"},
		"a run of values without bits":    {"\x06", 0, "<nil>"},
		"a run of 12 bits":                {"\x06\x01\x02", 12, "<nil>"},
		"a run of two billion":            {"\xfe\xff\xff\xff\x0f\x01", 1, "a page has more than 16777216 values"},
		"two runs of ten million":         {"\x80\xda\xc4\x09\x01\x80\xda\xc4\x09\x01", 1, "a page has more than 16777216 values"},
		"groups of two billion":           {"\xff\xff\xff\xff\x0f\x01", 1, "a run ends early"},
		"groups of two billion, no bits":  {"\xff\xff\xff\xff\x0f", 0, "a page has more than 16777216 values"},
		"a run of more than any number":   {"\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01\x01", 1, "a page has more than 16777216 values"},
		"groups of more than any number":  {"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 0, "a page has more than 16777216 values"},
		"a run without its value":         {"\x06", 1, "a run ends early"},
		"a number without end":            {"\xff", 1, "a run ends early"},
		"a group with half of its values": {"\x05\xaa", 1, "a run ends early"},
	} {
		if got := fmt.Sprint(checkRuns([]byte(tc.text), tc.bitWidth)); got != tc.want {
			t.Errorf("%s: got %s, want %s", name, got, tc.want)
		}
	}
}

// The footers of files are structures from their first byte to their last one, and no beginning of
// one is.
func TestStructuresHaveTheirLength(t *testing.T) {
	for name, file := range smallFiles(t) {
		length := int(binary.LittleEndian.Uint32(file[len(file)-8:]))
		footer := file[len(file)-8-length : len(file)-8]
		if n, err := thriftBytes(footer, maxFooterStructs); n != length || err != nil {
			t.Errorf("%s: %d bytes, %v, want %d", name, n, err, length)
		}
		for cut := range footer {
			if _, err := thriftBytes(footer[:cut], maxFooterStructs); err == nil {
				t.Errorf("%s: %d of %d bytes are a structure", name, cut, length)
			}
		}
		if _, err := thriftBytes(footer, 10); err == nil || err.Error() != "a structure has too many others in it" {
			t.Errorf("%s: %v", name, err)
		}
	}
	deep := strings.Repeat("\x1c", 100) + strings.Repeat("\x00", 101)
	if _, err := thriftBytes([]byte(deep), maxFooterStructs); err == nil {
		t.Error("structures lie in each other without end")
	}
}

// A page that is decompressed ends where no page may be longer.
func TestPagesAreUnpackedUpToTheirBound(t *testing.T) {
	small, large := bytes.Repeat([]byte("windtunnel"), 1000), make([]byte, maxPageBytes+1)
	var u unpacker
	for _, codec := range []compress.Codec{&parquet.Snappy, &parquet.Gzip, &parquet.Zstd} {
		for _, text := range [][]byte{small, large, small} {
			packed, err := codec.Encode(nil, text)
			if err != nil {
				t.Fatal(err)
			}
			page, err := u.unpack(codec.CompressionCodec(), packed)
			if tooLarge := len(text) > maxPageBytes; tooLarge && !errors.Is(err, errLargePage) || !tooLarge && (err != nil || !bytes.Equal(page, text)) {
				t.Errorf("%s: %d bytes of %d: %v", codec, len(page), len(text), err)
			}
		}
	}
	if _, err := u.unpack(format.Brotli, small); err == nil {
		t.Error("any compression is taken")
	}
}

func TestEncodingsThatAreNotCheckedAreRefused(t *testing.T) {
	rows := []ofPandas{{of[int64](3), of("gold"), of[int64](7), of[int64](40)}}
	_, err := asText(written(t, rows, parquet.DefaultEncodingFor(parquet.ByteArray, &parquet.DeltaByteArray)))
	const want = "t: row 1: tenant: cannot be read: a page must be encoded as PLAIN, RLE_DICTIONARY, DELTA_BINARY_PACKED, DELTA_LENGTH_BYTE_ARRAY or BYTE_STREAM_SPLIT, got DELTA_BYTE_ARRAY"
	if fmt.Sprint(err) != want {
		t.Errorf("got %v, want %s", err, want)
	}
	for _, known := range []parquet.WriterOption{
		parquet.DefaultEncodingFor(parquet.ByteArray, &parquet.DeltaLengthByteArray), parquet.DefaultEncodingFor(parquet.Int64, &parquet.RLEDictionary),
		parquet.DefaultEncodingFor(parquet.Int64, &parquet.DeltaBinaryPacked), parquet.DefaultEncodingFor(parquet.Int64, &parquet.ByteStreamSplit),
	} {
		if _, err := asText(written(t, rows, known)); err != nil {
			t.Error(err)
		}
	}
}
