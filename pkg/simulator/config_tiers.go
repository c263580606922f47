// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/kv"
	"windtunnel.dev/windtunnel/pkg/kv/transfer"
)

// Tiers are what lies below the KV cache in GPU memory. The zero value is
// nothing.
type Tiers struct {
	// Lower are the tiers, fastest first: one of each kind at most.
	Lower []Tier
	// ToHost and ToGPU are the two directions of the link that every block
	// crosses on its way from GPU memory and back to it.
	ToHost, ToGPU transfer.Station
	// Offload says when blocks are copied down.
	Offload Offload
}

// Tier is a memory or store for KV blocks.
type Tier struct {
	Kind TierKind
	// Blocks is how many it holds, at least 1.
	Blocks int
	// Read and Write are its two sides.
	Read, Write transfer.Station
	// Shared makes it one for all replicas of the pool; otherwise each has its
	// own.
	Shared bool
	// Eviction orders what makes room.
	Eviction kv.Order
}

// TierKind names a tier.
type TierKind int

// The kinds, fastest first.
const (
	CPUTier TierKind = iota
	StorageTier

	// TierKinds is how many there are.
	TierKinds
)

var tierNames = [TierKinds]string{"cpu", "storage"}

// String returns the tier's name in results: cpu or storage.
func (k TierKind) String() string { return tierNames[k] }

// Offload says when blocks go to the tier below.
type Offload struct {
	Policy OffloadPolicy
	// Threshold is the share of GPU blocks with content above which
	// OffloadThreshold begins, above 0 and below 1.
	Threshold float64
	// ThrashWindow is within what time after a block was copied down its
	// reload counts as thrashing.
	ThrashWindow time.Duration
}

// OffloadPolicy is when blocks go to the tier below.
type OffloadPolicy int

const (
	// OffloadEager copies blocks as soon as they are computed: those of a
	// prompt when it is complete, those of the answer when it ends, and on to
	// further tiers when they have arrived in one.
	OffloadEager OffloadPolicy = iota
	// OffloadLazy copies a block when its place is wanted for another one. The
	// step that wants the place waits for it.
	OffloadLazy
	// OffloadThreshold copies the blocks that would be evicted next once more than a
	// share of the blocks have content, and no request waits for that. It is OffloadLazy for
	// those whose places are wanted before they are copied.
	OffloadThreshold
)
