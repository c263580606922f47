// SPDX-License-Identifier: Apache-2.0

package main

import (
	"path/filepath"
	"testing"
)

// BenchmarkTrace compares R(50000, 16) without a trace with the formats of one.
func BenchmarkTrace(b *testing.B) {
	const run = "../../config/samples/bench/r-16.yaml"
	for _, file := range []string{"", "d.jsonl", "d.parquet"} {
		b.Run("file="+file, func(b *testing.B) {
			args := []string{"run", "-f", run}
			if file != "" {
				args = append(args, "--trace", filepath.Join(b.TempDir(), file))
			}
			for b.Loop() {
				if _, err := windtunnel(b, args...); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
