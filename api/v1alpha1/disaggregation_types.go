// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// Disaggregation is the transfer of a prompt's KV blocks from the replica that
// computes the prompt to the replica that decodes.
//
// +structType=atomic
type Disaggregation struct {
	// network is the network interface of each replica. A hand-over uses the sending
	// direction of one replica and the receiving direction of the other.
	// +optional
	// +kubebuilder:default={device: "network-400gbit"}
	Network Link `json:"network,omitzero"`
	// granularity is the unit of a transfer. Chunk sends each chunk of the prompt
	// after the step that computes it. Stream sends the chunk during the step, layer
	// by layer; if the network is fast enough, the chunk arrives at the end of the
	// step, which is slightly too early, because the last layer leaves only then.
	// Block sends the prompt after its last step, one block after the other, and each
	// block waits for the network's latency.
	// +optional
	// +kubebuilder:default=Chunk
	Granularity Granularity `json:"granularity,omitempty"`
	// pipelining lets decode begin before all KV blocks of the prompt arrive.
	// Without it, decode waits for the last block.
	// +optional
	Pipelining *Pipelining `json:"pipelining,omitempty"`
	// ownership says which replica keeps the blocks after a hand-over. With Shared,
	// the copy on the prefill replica stays cached for the next prompt with the same
	// prefix. SingleOwnerSeed drops this copy, so that each block has one owner in
	// the cluster.
	// +optional
	// +kubebuilder:default=Shared
	Ownership Ownership `json:"ownership,omitempty"`
	// maxPendingHandoffs is the maximum number of hand-overs to one decode replica at
	// the same time. A hand-over counts from the time at which its prompt enters the
	// queue of the prefill replica until its last block arrives. Further prompts wait
	// for that in order of arrival. 0 means no limit.
	// +optional
	// +kubebuilder:default=0
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1000000
	MaxPendingHandoffs int32 `json:"maxPendingHandoffs,omitempty"`
}

// Pipelining lets decode begin before all KV blocks of the prompt arrive.
type Pipelining struct {
	// startShare is the share of a prompt's blocks that must arrive before decode
	// begins.
	// +required
	StartShare Fraction `json:"startShare,omitempty"`
}

// Granularity is the unit of a transfer.
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

// Ownership says which replica keeps a block after a hand-over.
// +kubebuilder:validation:Enum=Shared;SingleOwnerSeed
type Ownership string

const (
	// SharedOwnership keeps the copy of the prefill replica.
	SharedOwnership Ownership = "Shared"
	// SingleOwnerSeedOwnership drops it.
	SingleOwnerSeedOwnership Ownership = "SingleOwnerSeed"
)

// Disruption is a failure, a drain or a recovery of a replica.
type Disruption struct {
	// at is the simulated time of the event.
	// +required
	At Duration `json:"at,omitempty"`
	// pool names the replica's pool.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Pool string `json:"pool,omitempty"`
	// replica is the number of the replica in its pool, starting at 0.
	// +optional
	// +kubebuilder:default=0
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=16383
	Replica int32 `json:"replica,omitempty"`
	// kind is the kind of event. Fail stops the replica and empties its caches, its
	// own CPU and storage tiers included; a tier with sharing Pool keeps its blocks. The
	// router routes the replica's requests again. Drain lets the replica finish its
	// requests, and the router sends it no further ones. Recover lets the router
	// choose the replica again.
	// +required
	Kind DisruptionKind `json:"kind,omitempty"`
}

// DisruptionKind is the kind of a disruption.
// +kubebuilder:validation:Enum=Fail;Drain;Recover
type DisruptionKind string

const (
	// FailDisruption stops the replica and empties its caches, its own CPU and storage
	// tiers included. A tier that the pool shares keeps its blocks.
	FailDisruption DisruptionKind = "Fail"
	// DrainDisruption lets the replica finish its requests.
	DrainDisruption DisruptionKind = "Drain"
	// RecoverDisruption makes the replica available again.
	RecoverDisruption DisruptionKind = "Recover"
)
