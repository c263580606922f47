// SPDX-License-Identifier: Apache-2.0

package replicas

import (
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// A BlockEvent is a change of what the caches of a replica hold: one block, or with BlocksCleared all of
// them.
type BlockEvent struct {
	// At is simulated time.
	At      simtime.Time
	Replica int
	Kind    BlockEventKind
	Tier    policy.CacheTier
	// Hash stands for the block and for all that comes before it in its text, for an adapter, and
	// Parent for the block before; 0 where there is none. No hash is 0.
	Hash, Parent uint64
	// Tokens are the token ids of the block, of stored ones only. They do not change.
	Tokens []uint32
	// Adapter is the LoRA adapter; empty for the base model.
	Adapter string
}

// BlockEventKind is what happens to a block.
type BlockEventKind uint8

// The kinds.
const (
	BlockStored BlockEventKind = iota
	BlockRemoved
	BlocksCleared
)

func (k BlockEventKind) String() string { return [...]string{"stored", "removed", "cleared"}[k] }
