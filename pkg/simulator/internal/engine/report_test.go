// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"testing"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/run"
)

// TestUseOverLongTimes: blocks times nanoseconds pass 2^64, and their mean holds.
func TestUseOverLongTimes(t *testing.T) {
	pool := simulator.Pool{Replicas: 1, KVBlocks: 1 << 20, BlockTokens: 16, MaxNumSeqs: 1, MaxNumBatchedTokens: 1}
	r := &New(&run.State{}, &simulator.Config{Pools: []simulator.Pool{pool}}).Replicas[0]
	const half = simtime.Time(1 << 60)
	r.Use.Changed(0, 0, 1<<20)
	r.Use.Changed(half, 1<<20, 0)
	if got := r.Report(2 * half).MeanKV; got != 0.5 {
		t.Errorf("mean usage %v, want 0.5", got)
	}
	if got := r.Report(2 * half).PeakKV; got != 1 {
		t.Errorf("peak usage %v, want 1", got)
	}
}
