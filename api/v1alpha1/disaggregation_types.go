// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// Disaggregation is how the KV of a prompt goes from the replica that computed
// it to the one that decodes.
type Disaggregation struct {
	// network is the network interface of each replica. A hand-over crosses the
	// sending direction of one and the receiving direction of the other.
	// +optional
	// +kubebuilder:default={device: "network-400gbit"}
	Network Link `json:"network,omitzero"`
	// granularity is what is sent at a time. Chunk sends each chunk of the
	// prompt when the step that computed it has ended. Stream sends it during
	// the step, layer by layer, and is there at its end where the network keeps
	// up: a little early, as the last layer leaves only then. Block sends the prompt when all of it is
	// computed, one block after the other, each of which waits for the network's
	// latency.
	// +optional
	// +kubebuilder:default=Chunk
	Granularity Granularity `json:"granularity,omitempty"`
	// pipelining lets decode begin before all of the prompt's KV has arrived.
	// Where it is not set, decode waits for the last block.
	// +optional
	Pipelining *Pipelining `json:"pipelining,omitempty"`
	// ownership is Shared: the copy on the prefill replica stays cached, for the
	// next prompt with the same prefix. SingleOwnerSeed drops it, so that the
	// cluster has one owner of each block.
	// +optional
	// +kubebuilder:default=Shared
	Ownership Ownership `json:"ownership,omitempty"`
	// maxPendingHandoffs is how many hand-overs may wait for a decode replica or
	// be on their way to it before prefill replicas start no more for it; 0 is no
	// bound.
	// +optional
	// +kubebuilder:default=0
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1000000
	MaxPendingHandoffs int32 `json:"maxPendingHandoffs,omitempty"`
}

// Pipelining lets decode begin before all of the prompt's KV has arrived.
type Pipelining struct {
	// startShare is the share of a prompt's blocks that has to have arrived.
	// +required
	StartShare Fraction `json:"startShare,omitempty"`
}

// Granularity is what a hand-over sends at a time.
// +kubebuilder:validation:Enum=Block;Chunk;Stream
type Granularity string

const (
	// BlockGranularity sends block by block when the prompt is computed.
	BlockGranularity Granularity = "Block"
	// ChunkGranularity sends chunk by chunk.
	ChunkGranularity Granularity = "Chunk"
	// StreamGranularity sends layer by layer.
	StreamGranularity Granularity = "Stream"
)

// Ownership says who has a block after a hand-over.
// +kubebuilder:validation:Enum=Shared;SingleOwnerSeed
type Ownership string

const (
	// SharedOwnership leaves the prefill replica its copy.
	SharedOwnership Ownership = "Shared"
	// SingleOwnerSeedOwnership drops it.
	SingleOwnerSeedOwnership Ownership = "SingleOwnerSeed"
)

// Disruption is a failure, a drain or a recovery of a replica.
type Disruption struct {
	// at is the simulated time.
	// +required
	At Duration `json:"at,omitempty"`
	// pool names the replica's pool.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Pool string `json:"pool,omitempty"`
	// replica is its number in the pool, from 0 on.
	// +optional
	// +kubebuilder:default=0
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1023
	Replica int32 `json:"replica,omitempty"`
	// kind says what happens. Fail ends the replica with all that it holds; what
	// it was to serve is routed again. Drain lets it finish what it has, and the
	// router sends it nothing more. Recover lets the router choose it again;
	// after Fail its caches are empty.
	// +required
	Kind DisruptionKind `json:"kind,omitempty"`
}

// DisruptionKind is the kind of a disruption.
// +kubebuilder:validation:Enum=Fail;Drain;Recover
type DisruptionKind string

const (
	// FailDisruption ends the replica.
	FailDisruption DisruptionKind = "Fail"
	// DrainDisruption lets it finish.
	DrainDisruption DisruptionKind = "Drain"
	// RecoverDisruption brings it back.
	RecoverDisruption DisruptionKind = "Recover"
)
