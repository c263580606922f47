// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// manyBlocks is a Mooncake trace of few kilobytes that is 64 MiB of text, of which
// each row has as many blocks as a row can have.
func manyBlocks(t testing.TB) []byte {
	t.Helper()
	const ids = 19_531
	line := fmt.Sprintf(`{"timestamp": 0, "input_length": %d, "output_length": 1, "hash_ids": [%s0]}`+"\n",
		ids*512, strings.Repeat("0,", ids-1))
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	for range (maxUnpackedBytes - 1) / len(line) {
		if _, err := z.Write([]byte(line)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// allocated is how many bytes f allocates, whether they live on or not.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func TestAManagerTakesNoMoreMemoryForALargeTraceThanForASmallOne(t *testing.T) {
	large := clusterInputs{fakeInputs{"traces/small.jsonl": manyBlocks(t)}}
	small := clusterInputs{traceInputs(t)}
	compile := func(in Inputs) func() {
		return func() {
			c, errs, err := CompileSweep(t.Context(), testSweep(t), in)
			if err != nil || len(errs) > 0 || c.Trace != nil {
				t.Fatalf("CompileSweep: %v, %v, trace %v; want a plan and no trace", errs, err, c.Trace)
			}
		}
	}
	compile(small)() // what is made once
	of, most := allocated(compile(large)), allocated(compile(small))+4<<20
	if of > most {
		t.Errorf("a trace of 64 MiB costs %d bytes, want at most %d", of, most)
	}
}

// A laptop that parses the trace and a manager that does not give one plan.
func TestAPlanIsTheSameWhetherItsTraceWasParsedOrNot(t *testing.T) {
	parsed := mustCompileSweep(t, testSweep(t))
	hashed, errs, err := CompileSweep(t.Context(), testSweep(t), clusterInputs{traceInputs(t)})
	if err != nil || len(errs) > 0 {
		t.Fatalf("CompileSweep: %v, %v", errs, err)
	}
	if parsed.Trace == nil || hashed.Trace != nil {
		t.Errorf("traces %v and %v, want one and none", parsed.Trace, hashed.Trace)
	}
	if diff := cmp.Diff(string(parsed.Plan.Encode()), string(hashed.Plan.Encode())); diff != "" {
		t.Errorf("plans (−parsed +hashed):\n%s", diff)
	}
}

func TestWhatAManagerFindsInATraceItDoesNotParse(t *testing.T) {
	packed := traceInputs(t)["traces/small.jsonl"]
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write(packed)
	_ = z.Close()
	broken := bytes.Clone(b.Bytes())
	broken[len(broken)-5]++
	tests := map[string]struct {
		raw  []byte
		want string // in the error, of whoever reads it; empty for none
	}{
		"text":           {packed, ""},
		"gzip":           {b.Bytes(), ""},
		"a broken gzip":  {broken, "trace ConfigMap/traces/small.jsonl: row 61: read: gzip: invalid checksum"},
		"half a gzip":    {broken[:len(broken)-9], "read: unexpected EOF"},
		"no trace":       {[]byte("hello\n"), ""},
		"65 MiB of text": {bytes.Repeat([]byte{'\n'}, maxUnpackedBytes+1), "has more than 64 MiB decompressed"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, errs, err := CompileSweep(t.Context(), testSweep(t), clusterInputs{fakeInputs{"traces/small.jsonl": tc.raw}})
			if err != nil || (tc.want == "") != (len(errs) == 0) || len(errs) > 0 && !strings.Contains(errs[0].Error(), tc.want) {
				t.Errorf("CompileSweep: %v, %v; want %q", errs, err, tc.want)
			}
			_, local, err := CompileSweep(t.Context(), testSweep(t), fakeInputs{"traces/small.jsonl": tc.raw})
			if err != nil || len(errs) > 0 && errs.ToAggregate().Error() != local.ToAggregate().Error() {
				t.Errorf("on a laptop: %v, %v; want %v", local, err, errs)
			}
		})
	}
}
