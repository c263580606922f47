// SPDX-License-Identifier: Apache-2.0

package trace_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

func BenchmarkRead(b *testing.B) {
	const n = 10_000
	mooncake := []byte(generate(b, n, 1))
	var azure strings.Builder
	azure.WriteString("TIMESTAMP,ContextTokens,GeneratedTokens\n")
	for i := range n {
		fmt.Fprintf(&azure, "2023-11-16 18:%02d:%02d.%07d,2048,28\n", i/600%60, i/10%60, i%10*1_000_000)
	}
	for name, bc := range map[string]struct {
		format trace.Format
		data   []byte
	}{
		"Mooncake":      {trace.Mooncake, mooncake},
		"Mooncake gzip": {trace.Mooncake, compress(b, mooncake)},
		"Azure":         {trace.Azure, []byte(azure.String())},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(bc.data)))
			for b.Loop() {
				if _, err := trace.Read(bc.format, bytes.NewReader(bc.data), "t"); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
		})
	}
}

func BenchmarkReplay(b *testing.B) {
	recorded := read(b, trace.Mooncake, generate(b, 10_000, 1))
	for _, arrivals := range []trace.Arrivals{trace.AsRecorded, trace.Spread} {
		b.Run(string(arrivals), func(b *testing.B) {
			b.ReportAllocs()
			replay := trace.Replay{RateScale: 1.5, Arrivals: arrivals}
			source := recorded.Replay(replay, 1)
			for b.Loop() {
				if _, ok := source.Next(); !ok {
					source = recorded.Replay(replay, 1)
				}
			}
		})
	}
}
