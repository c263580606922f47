// SPDX-License-Identifier: Apache-2.0

package parquetfile

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// written writes rows of a type as another program may, with metadata in pairs.
func written[T any](t *testing.T, rows []T, options ...parquet.WriterOption) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := parquet.Write(&out, rows, options...); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

var blocksOf16 = parquet.KeyValueMetadata("block_tokens", "16")

// asText reads a file, and returns its rows as the format Windtunnel writes them.
func asText(file []byte) (string, error) {
	var out bytes.Buffer
	_, err := trace.Convert(trace.Parquet, trace.Options{Parquet: Codec{}}, bytes.NewReader(file), "t", trace.Windtunnel, &out)
	return out.String(), err
}

// A file of pandas has columns that may be null, in any order, and no metadata of ours.
type ofPandas struct {
	OutputTokens *int64  `parquet:"output_tokens,optional"`
	Tenant       *string `parquet:"tenant,optional"`
	ArrivalNs    *int64  `parquet:"arrival_ns,optional"`
	InputTokens  *int64  `parquet:"input_tokens,optional"`
}

// narrow has numbers of other sizes, and a list whose elements are required.
type narrow struct {
	ArrivalNs    uint64  `parquet:"arrival_ns"`
	InputTokens  int32   `parquet:"input_tokens"`
	OutputTokens uint32  `parquet:"output_tokens"`
	Blocks       []int32 `parquet:"blocks"`
	Priority     int32   `parquet:"priority"`
}

// listed has lists that may be null, of ids that may be null.
type listed struct {
	ArrivalNs    int64    `parquet:"arrival_ns"`
	InputTokens  int64    `parquet:"input_tokens"`
	OutputTokens int64    `parquet:"output_tokens"`
	Blocks       []*int64 `parquet:"blocks,list,optional"`
}

func of[T any](value T) *T { return &value }

func TestFilesOfOtherProgramsAreRead(t *testing.T) {
	for name, tc := range map[string]struct {
		file []byte
		want string
	}{
		"optional columns in another order": {written(t, []ofPandas{
			{of[int64](3), of("gold"), of[int64](7_000_000_001), of[int64](40)},
			{OutputTokens: of[int64](1), ArrivalNs: of[int64](7_000_000_002), InputTokens: of[int64](9)},
		}), `{"windtunnel_trace": 1}
{"arrival_ns": 0, "input_tokens": 40, "output_tokens": 3, "tenant": "gold"}
{"arrival_ns": 1, "input_tokens": 9, "output_tokens": 1}
`},
		"pages of the first version, compressed with gzip": {written(t, []ofPandas{
			{of[int64](3), of("gold"), of[int64](7), of[int64](40)},
		}, parquet.DataPageVersion(1), parquet.Compression(&parquet.Gzip)), `{"windtunnel_trace": 1}
{"arrival_ns": 0, "input_tokens": 40, "output_tokens": 3, "tenant": "gold"}
`},
		"numbers of 32 bits, and lists without a group": {written(t, []narrow{
			{5, 40, 3, []int32{7, 9}, -2}, {6, 40, 4_000_000, nil, 0}, {6, 16, 1, []int32{7}, 1},
		}, blocksOf16, parquet.Compression(&parquet.Zstd)), `{"windtunnel_trace": 1, "block_tokens": 16}
{"arrival_ns": 0, "input_tokens": 40, "output_tokens": 3, "blocks": [7, 9], "priority": -2}
{"arrival_ns": 1, "input_tokens": 40, "output_tokens": 4000000, "priority": 0}
{"arrival_ns": 1, "input_tokens": 16, "output_tokens": 1, "blocks": [7], "priority": 1}
`},
		"lists that may be null": {written(t, []listed{
			{1, 40, 3, nil}, {2, 40, 3, []*int64{}}, {3, 40, 3, []*int64{of[int64](4), of[int64](5)}},
		}, blocksOf16), `{"windtunnel_trace": 1, "block_tokens": 16}
{"arrival_ns": 0, "input_tokens": 40, "output_tokens": 3}
{"arrival_ns": 1, "input_tokens": 40, "output_tokens": 3}
{"arrival_ns": 2, "input_tokens": 40, "output_tokens": 3, "blocks": [4, 5]}
`},
	} {
		got, err := asText(tc.file)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s: rows (-want +got):\n%s", name, diff)
		}
	}
}

// wrong has columns of other kinds.
type wrong struct {
	ArrivalNs float64  `parquet:"arrival_ns"`
	Input     int64    `parquet:"input"`
	Output    int64    `parquet:"output_tokens,timestamp"`
	Tenant    []string `parquet:"tenant,list"`
	Class     int64    `parquet:"class"`
	Blocks    []struct {
		ID, Tokens int64
	} `parquet:"blocks,list"`
}

func TestFilesThatAreNoTracesNameTheFault(t *testing.T) {
	good := listed{1, 40, 3, nil}
	row := func(edit func(*listed)) []byte {
		second := good
		edit(&second)
		return written(t, []listed{good, second}, blocksOf16)
	}
	for name, tc := range map[string]struct {
		file []byte
		want string
	}{
		"nothing":      {nil, "t: must be a whole Parquet file: reading magic header of parquet file: EOF"},
		"another file": {[]byte("arrived_at,num_prefill_tokens"), `t: must be a whole Parquet file: invalid magic header of parquet file: "arri"`},
		"another shape": {written(t, []wrong{{}}), "t: column arrival_ns: must have whole numbers of 32 or 64 bits, got DOUBLE\n" +
			"unknown column input, want arrival_ns, delay_ns, input_tokens, output_tokens, blocks, session, tenant, class, priority, model, adapter\n" +
			"column output_tokens: must have whole numbers of 32 or 64 bits, got TIMESTAMP(isAdjustedToUTC=true,unit=MILLIS)\n" +
			"column tenant: must have texts, got a group of columns\n" +
			"column class: must have texts, got INT(64,true)\n" +
			"column blocks: must have lists of whole numbers of 32 or 64 bits, got a group of columns\n" +
			"column input_tokens: is missing"},
		"another compression": {written(t, []narrow{{5, 40, 3, nil, 0}}, parquet.Compression(&parquet.Lz4Raw)), "t: " + strings.Join([]string{
			"column arrival_ns: must be compressed with SNAPPY, GZIP or ZSTD, or not at all, got LZ4_RAW",
			"column input_tokens: must be compressed with SNAPPY, GZIP or ZSTD, or not at all, got LZ4_RAW",
			"column output_tokens: must be compressed with SNAPPY, GZIP or ZSTD, or not at all, got LZ4_RAW",
			"column blocks: must be compressed with SNAPPY, GZIP or ZSTD, or not at all, got LZ4_RAW",
			"column priority: must be compressed with SNAPPY, GZIP or ZSTD, or not at all, got LZ4_RAW",
		}, "\n")},
		"no rows": {written(t, []listed{}), "t: a trace without requests"},
		"another version": {written(t, []listed{good}, parquet.KeyValueMetadata("windtunnel_trace", "2")),
			`t: metadata windtunnel_trace: must be the version 1, got "2"`},
		"blocks of nothing": {written(t, []listed{good}, parquet.KeyValueMetadata("block_tokens", "0")),
			`t: metadata block_tokens: must be between 1 and 1048576 tokens, got "0"`},
		"blocks without a size": {written(t, []listed{{1, 40, 3, []*int64{of[int64](1)}}}),
			"t: row 1: blocks: need their size, as block_tokens together with windtunnel_trace"},

		"a null":            {written(t, []ofPandas{{ArrivalNs: of[int64](1), OutputTokens: of[int64](1)}}), "t: row 1: input_tokens: is missing"},
		"no arrival":        {written(t, []ofPandas{{InputTokens: of[int64](1), OutputTokens: of[int64](1)}}), "t: row 1: arrival_ns: is missing"},
		"a negative time":   {row(func(r *listed) { r.ArrivalNs = -1 }), "t: row 2: arrival_ns: must not be negative, got -1"},
		"times in disorder": {row(func(r *listed) { r.ArrivalNs = 0 }), "t: row 2: arrival_ns: is earlier than in the row before: order (--order) Sort sorts rows"},
		"a negative length": {row(func(r *listed) { r.InputTokens = -4 }), "t: row 2: input_tokens: must not be negative, got -4"},
		"a length of billions": {row(func(r *listed) { r.OutputTokens = 1e10 }),
			"t: row 2: output_tokens: must be between 1 and 10000000 tokens, got 10000000000"},
		"a null id":     {row(func(r *listed) { r.Blocks = []*int64{nil} }), "t: row 2: blocks: must have ids that are not null and not negative"},
		"a negative id": {row(func(r *listed) { r.Blocks = []*int64{of[int64](-1)} }), "t: row 2: blocks: must have ids that are not null and not negative"},
		"too many ids": {row(func(r *listed) { r.InputTokens, r.Blocks = 17, []*int64{of[int64](1), of[int64](2)} }),
			"t: row 2: blocks: must have at most 1 ids, one for each full block of 16 tokens of input_tokens, got 2"},
		"a priority too high": {written(t, []narrow{{5, 40, 3, nil, 1_000_001}}), "t: row 1: priority: must be between -1000000 and 1000000, got 1000001"},
		"a long name": {written(t, []ofPandas{{of[int64](3), of(strings.Repeat("x", 254)), of[int64](7), of[int64](40)}}),
			fmt.Sprintf("t: row 1: tenant: must be text of at most 253 bytes, got %.80q", strings.Repeat("x", 254))},
	} {
		if _, err := asText(tc.file); fmt.Sprint(err) != tc.want {
			t.Errorf("%s: got\n%v\nwant\n%s", name, err, tc.want)
		}
	}
}

// Each beginning of a file is refused, and each file with a byte that is another one is
// refused or read: the library's panics are errors.
func TestBrokenFilesAreErrors(t *testing.T) {
	file := written(t, []ofPandas{
		{of[int64](3), of("gold"), of[int64](7), of[int64](40)}, {of[int64](3), of("gold"), of[int64](8), of[int64](40)},
	})
	for cut := range len(file) {
		if _, err := asText(file[:cut]); err == nil {
			t.Errorf("%d of %d bytes are read", cut, len(file))
		}
	}
	for i := range file {
		broken := bytes.Clone(file)
		broken[i] ^= 1
		if _, err := asText(broken); err != nil && !strings.HasPrefix(err.Error(), "t: ") {
			t.Errorf("byte %d: %v", i, err)
		}
	}
}

// Rows of several row groups are read as they were written, in the same bytes each time.
func TestManyRowsAreSeveralRowGroups(t *testing.T) {
	for name, tc := range map[string]struct{ rows, blocks, groups int }{
		"many rows": {groupRows + 10, 0, 2},
		"many ids":  {300, 8192, 3},
	} {
		t.Run(name, func(t *testing.T) {
			var text bytes.Buffer
			fmt.Fprintf(&text, "{\"windtunnel_trace\": 1, \"block_tokens\": 16}\n")
			ids := strings.TrimSuffix(strings.Repeat("5, ", tc.blocks), ", ")
			for i := range tc.rows {
				fmt.Fprintf(&text, `{"arrival_ns": %d, "input_tokens": %d, "output_tokens": %d`, i*i, 200_000+i, 1+i%7)
				if tc.blocks > 0 {
					fmt.Fprintf(&text, `, "blocks": [%s]`, ids)
				}
				if i%3 == 0 {
					fmt.Fprintf(&text, `, "session": "s%d"`, i)
				}
				text.WriteString("}\n")
			}
			var files [2]bytes.Buffer
			for i := range files {
				if _, err := trace.Convert(trace.Windtunnel, trace.Options{Parquet: Codec{}}, bytes.NewReader(text.Bytes()), "t", trace.Parquet, &files[i]); err != nil {
					t.Fatal(err)
				}
			}
			if !bytes.Equal(files[0].Bytes(), files[1].Bytes()) {
				t.Error("two conversions have other bytes")
			}
			file, err := parquet.OpenFile(bytes.NewReader(files[0].Bytes()), int64(files[0].Len()))
			if err != nil || len(file.RowGroups()) != tc.groups {
				t.Fatalf("%d row groups, want %d: %v", len(file.RowGroups()), tc.groups, err)
			}
			back, err := asText(files[0].Bytes())
			if err != nil || back != text.String() {
				t.Errorf("the rows are others: %v", err)
			}
		})
	}
}

// What is read of a row is what is written of it.
func TestAllColumnsAreRead(t *testing.T) {
	var row trace.ParquetRow
	read := slices.Sorted(maps.Keys(numbersOf(&row)))
	read = append(read, slices.Sorted(maps.Keys(textsOf(&row)))...)
	read = append(read, blocksColumn)
	all := columnNames()
	slices.Sort(read)
	slices.Sort(all)
	if diff := cmp.Diff(all, read); diff != "" {
		t.Errorf("columns (-written +read):\n%s", diff)
	}
}
