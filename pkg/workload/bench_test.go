// SPDX-License-Identifier: Apache-2.0

package workload_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload"
)

func BenchmarkReadTrace(b *testing.B) {
	const n = 10_000
	mooncake := []byte(generate(b, n, 1))
	var azure strings.Builder
	azure.WriteString("TIMESTAMP,ContextTokens,GeneratedTokens\n")
	for i := range n {
		fmt.Fprintf(&azure, "2023-11-16 18:%02d:%02d.%07d,2048,28\n", i/600%60, i/10%60, i%10*1_000_000)
	}
	for name, bc := range map[string]struct {
		format workload.Format
		data   []byte
	}{
		"Mooncake":      {workload.Mooncake, mooncake},
		"Mooncake gzip": {workload.Mooncake, compress(b, mooncake)},
		"Azure":         {workload.Azure, []byte(azure.String())},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(bc.data)))
			for b.Loop() {
				if _, err := workload.ReadTrace(bc.format, bytes.NewReader(bc.data), "t"); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
		})
	}
}

func BenchmarkReplay(b *testing.B) {
	trace := read(b, workload.Mooncake, generate(b, 10_000, 1))
	for _, arrivals := range []workload.ReplayArrivals{workload.AsRecorded, workload.Spread} {
		b.Run(string(arrivals), func(b *testing.B) {
			b.ReportAllocs()
			replay := workload.Replay{RateScale: 1.5, Arrivals: arrivals}
			source := trace.Replay(replay, 1)
			for b.Loop() {
				if _, ok := source.Next(); !ok {
					source = trace.Replay(replay, 1)
				}
			}
		})
	}
}

func BenchmarkClients(b *testing.B) {
	for _, n := range []int{1, 20, 512} {
		b.Run(fmt.Sprintf("clients=%d", n), func(b *testing.B) {
			var clients []workload.Client
			for i := range n {
				clients = append(clients, workload.Client{
					Name:         fmt.Sprint(i),
					Arrivals:     workload.Arrivals{Process: workload.Poisson, RatePerSecond: 1 / float64(i+1)},
					Input:        workload.Lengths{Distribution: stats.Normal{Mean: 256, StdDev: 100}, Min: 32, Max: 1024},
					Output:       workload.Lengths{Distribution: stats.Normal{Mean: 128, StdDev: 50}, Min: 16, Max: 512},
					PrefixGroup:  fmt.Sprint(i),
					PrefixTokens: 1024,
				})
			}
			source := workload.NewClients(clients, 1)
			b.ReportAllocs()
			for b.Loop() {
				source.Next()
			}
		})
	}
}
