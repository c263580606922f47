// SPDX-License-Identifier: Apache-2.0

package latency

import (
	"errors"
	"fmt"
	"math"
)

const gib = 1 << 30

// MemoryBudget is how the memory of a replica's GPUs is divided. An engine
// measures what it needs when it starts: give the number of blocks that it
// reports where you know it.
type MemoryBudget struct {
	// Utilization is the share of memory that the engine may use, above 0 and
	// at most 1.
	Utilization float64
	// ActivationBytes is what the largest batch needs, over all GPUs;
	// RuntimeBytes what context, graphs and the collectives' buffers take of
	// each.
	ActivationBytes, RuntimeBytes int64
}

// DefaultMemoryBudget returns what a published simulator assumes on GPUs of 80
// GB: 90 % of memory, 5.5 GiB of activations, 8 GiB with experts, and 0.15 GiB
// in addition to them, 0.6 if GPUs work together. A smaller GPU runs smaller
// batches: on an RTX 4090, vLLM 0.19 kept 1.24 GB for both together.
func (i Instance) DefaultMemoryBudget() MemoryBudget {
	b := MemoryBudget{Utilization: 0.9, ActivationBytes: gib * 11 / 2, RuntimeBytes: gib * 3 / 20}
	if i.Model.MoE != nil {
		b.ActivationBytes = 8 * gib
	}
	if i.TensorParallelism > 1 || i.StepTogether() {
		b.RuntimeBytes = gib * 3 / 5
	}
	return b
}

// KVBlocks returns how many blocks of blockTokens tokens fit into the memory
// that a replica has left. All figures are those of one GPU, the bytes of a
// token too:
//
//	floor((memory·utilization − weights − activations/tp − runtime) / (blockTokens·bytesPerToken))
//
// Where layers with sliding windows keep less, requests hold blocks for them too (see
// KVWindows), and none are set aside here.
//
// It is an error, in words for the user, if not one block fits.
func (i Instance) KVBlocks(blockTokens int, b MemoryBudget) (int, error) {
	switch {
	case i.TensorParallelism < 1:
		return 0, errors.New("must be at least 1 GPU")
	case blockTokens < 1:
		return 0, errors.New("a block must have at least 1 token")
	case !(b.Utilization > 0 && b.Utilization <= 1):
		return 0, errors.New("the share of memory that may be used must be greater than 0 and at most 1")
	case b.ActivationBytes < 0 || b.RuntimeBytes < 0:
		return 0, errors.New("the engine's own memory must be 0 bytes or more")
	}
	usable := float64(float64(i.Accelerator.MemoryBytes) * b.Utilization)
	weights := float64(i.WeightBytes())
	engine := float64(b.ActivationBytes)/i.gpus() + float64(b.RuntimeBytes)
	free := usable - weights - engine
	block := float64(float64(i.KVBytesPerToken()) * float64(blockTokens))
	if free < block {
		return 0, fmt.Errorf("%s does not fit: of %.1f GiB that may be used of each %s, weights take %.1f GiB and the engine %.1f GiB, which leaves no room for KV blocks",
			i.Model.Name, usable/gib, i.Accelerator.Name, weights/gib, engine/gib)
	}
	return int(math.Floor(free / block)), nil
}
