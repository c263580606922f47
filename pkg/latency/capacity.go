// SPDX-License-Identifier: Apache-2.0

package latency

import (
	"errors"
	"fmt"
	"math"
)

const gib = 1 << 30

// What an engine holds in a GPU's memory beside weights and KV. The engine
// itself measures these at start-up; give the number of blocks that it reports
// where you know it.
const (
	activationBytes         = 5.5 * gib  // a dense model at its largest batch, over all GPUs
	runtimeBytesSingle      = 0.15 * gib // context and graphs
	runtimeBytesDistributed = 0.6 * gib  // with the collectives' buffers
)

// KVBlocks returns how many blocks of blockTokens tokens fit into the memory
// that a replica of tp GPUs has left. All figures are those of one GPU, the
// bytes of a token too:
//
//	floor((memory·utilization − weights/tp − activations/tp − runtime) / (blockTokens·bytesPerToken))
//
// memoryUtilization is the share of memory that the engine may use, above 0
// and at most 1. It is an error, in words for the user, if not one block fits.
func KVBlocks(m Model, a Accelerator, tp, blockTokens int, memoryUtilization float64) (int, error) {
	switch {
	case tp < 1:
		return 0, errors.New("must be at least 1 GPU")
	case blockTokens < 1:
		return 0, errors.New("a block must have at least 1 token")
	case !(memoryUtilization > 0 && memoryUtilization <= 1):
		return 0, errors.New("the share of memory that may be used must be greater than 0 and at most 1")
	}
	runtime := runtimeBytesSingle
	if tp > 1 {
		runtime = runtimeBytesDistributed
	}
	usable := float64(float64(a.MemoryBytes) * memoryUtilization)
	weights := float64(m.WeightBytes()) / float64(tp)
	engine := activationBytes/float64(tp) + runtime
	free := usable - weights - engine
	block := float64(float64(m.kvBytesPerToken(tp)) * float64(blockTokens))
	if free < block {
		return 0, fmt.Errorf("%s does not fit: of %.1f GiB that may be used of each %s, weights take %.1f GiB and the engine %.1f GiB, which leaves no room for KV blocks",
			m.Name, usable/gib, a.Name, weights/gib, engine/gib)
	}
	return int(math.Floor(free / block)), nil
}
