// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// KVCache is the KV cache of one replica: its size in GPU memory, and the tiers
// below it. The size is the number of blocks that an engine reports, or is
// computed from model, accelerator and memoryUtilization.
//
// +kubebuilder:validation:XValidation:rule="has(self.tiers) || (!has(self.link) && !has(self.offload))",message="link and offload go with tiers"
type KVCache struct {
	// blocks is the number of KV blocks of one replica, such as vLLM's
	// num_gpu_blocks. The engine reserves one of them. It is derived from the memory
	// of the GPUs.
	// +optional
	// +kubebuilder:validation:Minimum=2
	// +kubebuilder:validation:Maximum=100000000
	Blocks *int32 `json:"blocks,omitempty"`
	// memoryUtilization is the share of GPU memory that the engine may use
	// (vLLM's gpu_memory_utilization), at most 1.
	// +optional
	// +kubebuilder:default="0.9"
	// +kubebuilder:validation:XValidation:rule="self.matches('^(0+[.][0-9]*[1-9][0-9]*|0*1([.]0+)?)$')",message="must be greater than 0 and at most 1, such as \"0.9\""
	MemoryUtilization PositiveDecimal `json:"memoryUtilization,omitempty"`
	// activationBytes is the memory for the activations of the largest batch, over
	// all GPUs of a replica. It is derived: 5.5 GiB, and 8 GiB for a model with
	// experts. A small GPU needs less.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1099511627776
	ActivationBytes *int64 `json:"activationBytes,omitempty"`
	// runtimeBytes is the memory of each GPU for context, graphs and the buffers of
	// collectives. It is derived: 0.15 GiB with one GPU, and 0.6 GiB with several.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1099511627776
	RuntimeBytes *int64 `json:"runtimeBytes,omitempty"`
	// initialCacheHitRate is the share of each prompt, at most 1, that the cache of a
	// replica holds when the replica starts. The share is in whole blocks and takes blocks
	// that this run has not used: when all have been used, only KV of this run hits.
	// Without it, the cache is empty.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self.matches('^(0+([.][0-9]+)?|0*1([.]0+)?)$')",message="must be from 0 to 1, such as \"0.6\""
	InitialCacheHitRate NonNegativeDecimal `json:"initialCacheHitRate,omitempty"`
	// eviction is the order in which the engine evicts cached blocks. The default is
	// LRU, as in vLLM.
	// +optional
	Eviction Eviction `json:"eviction,omitempty"`
	// tiers are stores for KV blocks below GPU memory, at most one of each kind, in
	// any order. The engine copies blocks to the fastest tier first, and loads a
	// prompt from the tier that holds it.
	// +optional
	// +listType=map
	// +listMapKey=kind
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=2
	Tiers []Tier `json:"tiers,omitempty"`
	// link is the connection between each GPU and its host. Every block crosses it
	// on the way to a tier and back. With tiers it is derived: the device
	// pcie-gen5-x16.
	// +optional
	Link *Link `json:"link,omitempty"`
	// offload says when the engine copies blocks to the tier below. With tiers it is
	// derived: the defaults of its fields.
	// +optional
	Offload *Offload `json:"offload,omitempty"`
	// stability adds a controller that watches the cache and keeps the wait queue
	// from growing without limit. Without it there is no controller.
	// +optional
	Stability *Stability `json:"stability,omitempty"`
}

// Eviction is an order in which blocks are evicted. Among equal blocks, the least
// recently used one is evicted first.
// +kubebuilder:validation:Enum=LRU;LFU;Priority
type Eviction string

const (
	// LRUEviction evicts the block that is unused for the longest time.
	LRUEviction Eviction = "LRU"
	// LFUEviction evicts the block with the fewest uses.
	LFUEviction Eviction = "LFU"
	// PriorityEviction evicts the block whose users have the lowest priority.
	PriorityEviction Eviction = "Priority"
)

// TierKind names a tier.
// +kubebuilder:validation:Enum=CPU;Storage
type TierKind string

const (
	// CPUTier is the host's memory.
	CPUTier TierKind = "CPU"
	// StorageTier is a disk or a store.
	StorageTier TierKind = "Storage"
)

// Sharing says which replicas use a tier.
// +kubebuilder:validation:Enum=Replica;Pool
type Sharing string

const (
	// ReplicaSharing gives each replica its own tier.
	ReplicaSharing Sharing = "Replica"
	// PoolSharing gives all replicas of the pool one tier.
	PoolSharing Sharing = "Pool"
)

// Tier is a memory or a store for KV blocks, with its size and speed.
//
// +kubebuilder:validation:ExactlyOneOf=blocks;capacity
// +kubebuilder:validation:XValidation:rule="self.kind != 'Storage' || has(self.device) || (has(self.readBytesPerSecond) && has(self.writeBytesPerSecond))",message="a Storage tier needs a path: set device, or readBytesPerSecond and writeBytesPerSecond"
type Tier struct {
	// kind is the kind of tier: CPU is the host's memory, Storage a disk or a store.
	// +required
	Kind TierKind `json:"kind,omitempty"`
	// blocks is the number of KV blocks that the tier holds.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000000
	Blocks *int32 `json:"blocks,omitempty"`
	// capacity is the size of the tier in bytes, such as 512Gi, in place of blocks.
	// +optional
	Capacity Bytes `json:"capacity,omitempty"`
	// device is a class of devices with nominal figures: dram, nvme-gen3, nvme-gen4,
	// sata-ssd or object-store. It is derived from kind: dram for CPU, none for
	// Storage.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Device string `json:"device,omitempty"`
	// readBytesPerSecond is the read bandwidth, in place of the device's.
	// +optional
	ReadBytesPerSecond Bytes `json:"readBytesPerSecond,omitempty"`
	// writeBytesPerSecond is the write bandwidth, in place of the device's.
	// +optional
	WriteBytesPerSecond Bytes `json:"writeBytesPerSecond,omitempty"`
	// latency is the time until the first byte, in place of the device's.
	// +optional
	Latency Duration `json:"latency,omitempty"`
	// sharing says which replicas use the tier. With Replica, each replica has its
	// own tier. With Pool, all replicas of the pool share one tier and its bandwidth.
	// +optional
	// +kubebuilder:default=Replica
	Sharing Sharing `json:"sharing,omitempty"`
	// eviction is the order in which the tier evicts blocks.
	// +optional
	// +kubebuilder:default=LRU
	Eviction Eviction `json:"eviction,omitempty"`
}

// Link is a connection with two independent directions.
//
// +kubebuilder:validation:XValidation:rule="has(self.device) || has(self.bytesPerSecond)",message="one of device and bytesPerSecond must be set"
type Link struct {
	// device is a class of links with nominal figures: pcie-gen4-x16, pcie-gen5-x16,
	// nvlink-3, nvlink-4, nvlink-5, network-200gbit, network-400gbit or
	// network-800gbit.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Device string `json:"device,omitempty"`
	// bytesPerSecond is the bandwidth of each direction, in place of the
	// device's.
	// +optional
	BytesPerSecond Bytes `json:"bytesPerSecond,omitempty"`
	// latency is the time until the first byte, in place of the device's. It is
	// derived: the latency of the device, and 0 without a device.
	// +optional
	Latency Duration `json:"latency,omitempty"`
}

// OffloadPolicy says when the engine copies blocks to the tier below.
// +kubebuilder:validation:Enum=Eager;Lazy;Threshold
type OffloadPolicy string

const (
	// EagerOffload copies blocks as soon as they are computed.
	EagerOffload OffloadPolicy = "Eager"
	// LazyOffload copies a block when the engine needs its place.
	LazyOffload OffloadPolicy = "Lazy"
	// ThresholdOffload copies blocks when the share of blocks with content exceeds the
	// threshold.
	ThresholdOffload OffloadPolicy = "Threshold"
)

// Offload says when the engine copies blocks to the tier below.
//
// +structType=atomic
type Offload struct {
	// policy says when the engine copies a block. Eager copies it when it is
	// computed, as vLLM's connectors do. Lazy copies it when the engine needs its
	// place, and the step that needs it waits. Threshold copies the blocks that are
	// next in the order of eviction while more than threshold of all blocks have
	// content, and is Lazy for a block whose place a step needs before its copy ends.
	// +optional
	// +kubebuilder:default=Eager
	Policy OffloadPolicy `json:"policy,omitempty"`
	// threshold is the share of the GPU's blocks above which policy Threshold starts
	// to copy blocks.
	// +optional
	// +kubebuilder:default="0.95"
	Threshold Fraction `json:"threshold,omitempty"`
	// thrashWindow is the time after a copy within which a reload of the block counts
	// as thrashing. It affects only the count.
	// +optional
	// +kubebuilder:default="10s"
	ThrashWindow Duration `json:"thrashWindow,omitempty"`
}
