// SPDX-License-Identifier: Apache-2.0

package stability_test

import (
	"testing"
	"time"

	"windtunnel.dev/windtunnel/pkg/kv/stability"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// BenchmarkRequest is what one request costs: its arrival, its decision, its
// completion and ten stretches of steps.
func BenchmarkRequest(b *testing.B) {
	memory := stability.Memory{TotalBlocks: 26_312, FreeBlocks: 500, EvictableBlocks: 20_000}
	for _, form := range stability.Forms() {
		b.Run(string(form), func(b *testing.B) {
			c, err := stability.New(form, stability.DefaultConfig(), 0)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			at := simtime.Time(0)
			for b.Loop() {
				at = at.Add(10 * time.Millisecond)
				c.Decide(at, memory, 40)
				c.Arrival(at)
				for range 10 {
					at = at.Add(time.Millisecond)
					c.Steps(at, 12, 240*time.Millisecond)
				}
				c.Completion(at, stability.Completion{PromptTokens: 512, OutputTokens: 128, Blocks: 40, Service: time.Second})
			}
		})
	}
}
