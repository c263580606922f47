// SPDX-License-Identifier: Apache-2.0

package transfer_test

import (
	"fmt"
	"testing"

	"windtunnel.dev/windtunnel/pkg/kv/transfer"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// crowd keeps a number of transfers in flight between pairs of replicas over one
// spine: whenever some end, as many start.
type crowd struct {
	network *transfer.Network
	now     simtime.Time
	pairs   int
	started int
}

func newCrowd(inFlight int) *crowd {
	c := &crowd{network: transfer.New(), pairs: max(1, inFlight/4)}
	for i := range 2 * c.pairs {
		c.network.Add(transfer.Station{BytesPerSecond: 25e9 + int64(i%3)*1e9, Latency: 50_000})
	}
	c.network.Add(transfer.Station{BytesPerSecond: 10e9 * int64(c.pairs)})
	for range inFlight {
		c.start()
	}
	return c
}

func (c *crowd) start() {
	k := c.started
	c.started++
	from := transfer.StationID(k % c.pairs)
	to := transfer.StationID(c.pairs + k*7%c.pairs)
	spine := transfer.StationID(2 * c.pairs)
	c.network.Start(c.now, int64(1+k%13)*40_000_000, from, spine, to)
}

// turn goes to the next change.
func (c *crowd) turn() {
	c.now, _ = c.network.Next()
	for range c.network.Advance(c.now) {
		c.start()
	}
}

// BenchmarkTransfer is one transfer from start to end, with so many in flight.
// Compare with: go test -run '^$' -bench Transfer -count 10 | benchstat
func BenchmarkTransfer(b *testing.B) {
	for _, inFlight := range []int{1, 8, 64, 512} {
		b.Run(fmt.Sprintf("inFlight=%d", inFlight), func(b *testing.B) {
			c := newCrowd(inFlight)
			for c.started < 4*inFlight {
				c.turn()
			}
			b.ReportAllocs()
			b.ResetTimer()
			for until := c.started + b.N; c.started < until; {
				c.turn()
			}
		})
	}
}

// TestSteadyStateDoesNotAllocate, looks included.
func TestSteadyStateDoesNotAllocate(t *testing.T) {
	c := newCrowd(64)
	for c.started < 1000 {
		c.turn()
	}
	allocs := testing.AllocsPerRun(1000, func() {
		c.turn()
		c.network.Load(c.now, 0)
		c.network.Estimate(c.now, 1, 0, 1)
	})
	if allocs > 0 {
		t.Errorf("%v allocations a change", allocs)
	}
}
