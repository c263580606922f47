// SPDX-License-Identifier: Apache-2.0

package transfer_test

import (
	"fmt"

	"windtunnel.dev/windtunnel/pkg/kv/transfer"
)

// Two prompts are handed over from one prefill replica to two decode replicas,
// and share the network side of the first.
func Example() {
	network, _ := transfer.DeviceByName("network-200gbit")
	links := transfer.New(network.Read(), network.Write(), network.Write())
	const prefill, first, second = 0, 1, 2

	links.Start(0, 500_000_000, prefill, first)
	links.Start(5_000_000, 250_000_000, prefill, second)
	load := links.Load(10_000_000, prefill)
	fmt.Println("at 10ms:", load.InFlight, "in flight,", load.BytesLeft, "bytes left, about", load.Delay)

	for {
		now, ok := links.Next()
		if !ok {
			break
		}
		for _, done := range links.Advance(now) {
			fmt.Println("transfer", done.ID, "ends at", done.At)
		}
	}
	// Output:
	// at 10ms: 2 in flight, 502500000 bytes left, about 20.1ms
	// transfer 2 ends at 25.1ms
	// transfer 1 ends at 30.1ms
}
