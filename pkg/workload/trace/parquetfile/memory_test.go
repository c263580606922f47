// SPDX-License-Identifier: Apache-2.0

package parquetfile

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// mostBytes is what the reading of a small broken file may take in all: pages that say that they
// have as many values as they may.
const mostBytes = 512 << 20

// taken is how much memory a call takes in all, also what it gives back.
func taken(call func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	call()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// smallFiles are files of all kinds of pages.
func smallFiles(t *testing.T) map[string][]byte {
	t.Helper()
	var rows []trace.ParquetRow
	for i := range int64(9) {
		at, input, output := 1000*i, 40+i, 1+i%3
		rows = append(rows, trace.ParquetRow{
			ArrivalNs: &at, InputTokens: &input, OutputTokens: &output, Blocks: []uint64{7, uint64(i)}, Session: fmt.Sprint(i % 5), Tenant: "gold",
		})
	}
	files := map[string][]byte{
		"second version, plain": written(t, rows, blocksOf16),
		"first version, gzip":   written(t, rows, blocksOf16, parquet.DataPageVersion(1), parquet.Compression(&parquet.Gzip)),
		"first version, plain":  written(t, rows, blocksOf16, parquet.DataPageVersion(1)),
		"second version, zstd":  written(t, rows, blocksOf16, parquet.Compression(&parquet.Zstd), parquet.DefaultEncodingFor(parquet.ByteArray, &parquet.DeltaLengthByteArray)),
	}
	var ours bytes.Buffer
	w := Codec{}.Create(&ours, map[string]string{"block_tokens": "16"})
	for i := range rows {
		if err := w.Write(&rows[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	files["ours"] = ours.Bytes()
	return files
}

// A number of a file that becomes two billion, wherever it is, takes no memory for as many values:
// a length of a run, of a page, of a list or of a text, in five bytes as such numbers are written.
func TestBrokenLengthsTakeLittleMemory(t *testing.T) {
	for name, file := range smallFiles(t) {
		t.Run(name, func(t *testing.T) {
			if _, err := asText(file); err != nil {
				t.Fatal(err)
			}
			for _, length := range []string{"\xfe\xff\xff\xff\x0f", "\xff\xff\xff\xff\x0f", "\xff\xff\xff\xff\x07"} {
				for at := 4; at < len(file)-len(length); at++ {
					broken := bytes.Clone(file)
					copy(broken[at:], length)
					var err error
					bytes := taken(func() { _, err = asText(broken) })
					if bytes > mostBytes {
						t.Errorf("%x at byte %d takes %d MiB: %v", length, at, bytes>>20, err)
					}
					if err != nil && !strings.HasPrefix(err.Error(), "t: ") {
						t.Errorf("%x at byte %d: %v", length, at, err)
					}
				}
			}
		})
	}
}
