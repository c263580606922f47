// SPDX-License-Identifier: Apache-2.0

package stability_test

import (
	"fmt"
	"time"

	"windtunnel.dev/windtunnel/pkg/kv/stability"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// A replica of 12 000 blocks gets 100 requests a second, each of 512 prompt
// and 128 output tokens, in steps of 20 ms.
func ExampleController() {
	config := stability.DefaultConfig()
	config.Window = 10 * time.Second
	controller, err := stability.New(stability.FormQueueing, config, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	now := simtime.Time(0)
	for range 100 * 60 {
		now = now.Add(10 * time.Millisecond)
		controller.Arrival(now)
		controller.Completion(now, stability.Completion{PromptTokens: 512, OutputTokens: 128, Blocks: 40})
		controller.Steps(now, 1, 20*time.Millisecond)
	}
	now = now.Add(5 * time.Millisecond)

	memory := stability.Memory{TotalBlocks: 12_000, FreeBlocks: 50, EvictableBlocks: 2000}
	state := controller.State(now, memory)
	fmt.Printf("%.0f of %.0f requests/s, stable: %t\n", state.ArrivalsPerSecond, state.ServedPerSecond, state.IsStable)
	fmt.Printf("%.0f blocks in use on average, %d with the margin, which is there up to %.0f requests/s\n",
		state.UsedBlocks, state.MinimumStableBlocks, state.CriticalArrivalsPerSecond)

	// Running requests are to have their 10 682 blocks; they have 10 000 and the
	// 50 that are free. That can wait, the blocks of a request cannot.
	fmt.Printf("%+v\n", controller.Decide(now, memory, 0))
	fmt.Printf("%+v\n", controller.Decide(now.Add(time.Millisecond), memory, 40))
	// Output:
	// 100 of 129 requests/s, stable: true
	// 9288 blocks in use on average, 10682 with the margin, which is there up to 112 requests/s
	// {EvictBlocks:682 DeferredBlocks:0 ShortfallBlocks:0 Infeasible:false}
	// {EvictBlocks:70 DeferredBlocks:611 ShortfallBlocks:0 Infeasible:false}
}
