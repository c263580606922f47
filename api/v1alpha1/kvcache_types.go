// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// KVCache is one replica's KV cache in GPU memory and what lies below it. It is
// sized by a number of blocks as the engine reports it, or from model,
// accelerator and memoryUtilization.
//
// +kubebuilder:validation:XValidation:rule="has(self.tiers) || (!has(self.link) && !has(self.offload))",message="link and offload go with tiers"
type KVCache struct {
	// blocks is the number of KV blocks of one replica, such as vLLM's
	// num_gpu_blocks; one of them the engine keeps to itself. Where it is not set it
	// is computed.
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
	// activationBytes is the memory that the activations of the largest batch
	// take, over all GPUs of a replica. Where it is not set it is 5.5 GiB, and
	// 8 GiB for a model with experts: more than a small GPU needs.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1099511627776
	ActivationBytes *int64 `json:"activationBytes,omitempty"`
	// runtimeBytes is the memory that context, graphs and the collectives'
	// buffers take of each GPU. Where it is not set it is 0.15 GiB, and 0.6 GiB
	// where GPUs work together.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1099511627776
	RuntimeBytes *int64 `json:"runtimeBytes,omitempty"`
	// eviction is the order in which cached blocks make room: by default LRU, as
	// in vLLM.
	// +optional
	Eviction Eviction `json:"eviction,omitempty"`
	// tiers lie below GPU memory, at most one of each kind, in any order. Blocks
	// are copied down to the fastest one first, and a prompt that is found in
	// one is loaded from there.
	// +optional
	// +listType=map
	// +listMapKey=kind
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=2
	Tiers []Tier `json:"tiers,omitempty"`
	// link is what joins each GPU with its host; every block crosses it on its
	// way to a tier and back. Where it is not set it is the device
	// pcie-gen5-x16.
	// +optional
	Link *Link `json:"link,omitempty"`
	// offload says when blocks are copied down. Where it is not set, its fields'
	// defaults apply.
	// +optional
	Offload *Offload `json:"offload,omitempty"`
	// stability watches the cache with a controller that keeps the wait queue
	// from growing without end. Where it is not set, nobody watches.
	// +optional
	Stability *Stability `json:"stability,omitempty"`
}

// Eviction is an order in which blocks make room. Among equals the least
// recently used goes first.
// +kubebuilder:validation:Enum=LRU;LFU;Priority
type Eviction string

const (
	// LRUEviction evicts what was not used for the longest time.
	LRUEviction Eviction = "LRU"
	// LFUEviction evicts what was used the fewest times.
	LFUEviction Eviction = "LFU"
	// PriorityEviction evicts what only requests of low priority used.
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

// Sharing says whose a tier is.
// +kubebuilder:validation:Enum=Replica;Pool
type Sharing string

const (
	// ReplicaSharing gives each replica a tier of its own.
	ReplicaSharing Sharing = "Replica"
	// PoolSharing makes it one for all replicas of the pool.
	PoolSharing Sharing = "Pool"
)

// Tier is a memory or a store for KV blocks, and how fast it is.
//
// +kubebuilder:validation:ExactlyOneOf=blocks;capacity
// +kubebuilder:validation:XValidation:rule="self.kind != 'Storage' || has(self.device) || (has(self.readBytesPerSecond) && has(self.writeBytesPerSecond))",message="a Storage tier needs a path: set device, or readBytesPerSecond and writeBytesPerSecond"
type Tier struct {
	// kind says what it is: CPU is the host's memory, Storage a disk or a store.
	// +required
	Kind TierKind `json:"kind,omitempty"`
	// blocks is the number of KV blocks that it holds.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000000
	Blocks *int32 `json:"blocks,omitempty"`
	// capacity is its size in bytes, such as 512Gi, in place of blocks.
	// +optional
	Capacity Bytes `json:"capacity,omitempty"`
	// device is a class with nominal figures: dram, nvme-gen3, nvme-gen4,
	// sata-ssd or object-store. For CPU it is dram where nothing is set.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Device string `json:"device,omitempty"`
	// readBytesPerSecond is the bandwidth of reading, in place of the device's.
	// +optional
	ReadBytesPerSecond Bytes `json:"readBytesPerSecond,omitempty"`
	// writeBytesPerSecond is the bandwidth of writing, in place of the device's.
	// +optional
	WriteBytesPerSecond Bytes `json:"writeBytesPerSecond,omitempty"`
	// latency passes before the first byte, in place of the device's.
	// +optional
	Latency Duration `json:"latency,omitempty"`
	// sharing says whose it is: each Replica has its own, or all replicas of the
	// Pool share one and its bandwidth.
	// +optional
	// +kubebuilder:default=Replica
	Sharing Sharing `json:"sharing,omitempty"`
	// eviction is the order in which its blocks make room.
	// +optional
	// +kubebuilder:default=LRU
	Eviction Eviction `json:"eviction,omitempty"`
}

// Link is what bytes cross in two directions that do not disturb each other.
//
// +kubebuilder:validation:XValidation:rule="has(self.device) || has(self.bytesPerSecond)",message="one of device and bytesPerSecond must be set"
type Link struct {
	// device is a class with nominal figures: pcie-gen4-x16, pcie-gen5-x16,
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
	// latency passes before the first byte, in place of the device's; 0 where
	// there is no device.
	// +optional
	Latency Duration `json:"latency,omitempty"`
}

// OffloadPolicy is when blocks are copied to the tier below.
// +kubebuilder:validation:Enum=Eager;Lazy;Threshold
type OffloadPolicy string

const (
	// EagerOffload copies blocks as soon as they are computed.
	EagerOffload OffloadPolicy = "Eager"
	// LazyOffload copies a block when its place is wanted.
	LazyOffload OffloadPolicy = "Lazy"
	// ThresholdOffload moves blocks once the cache is fuller than a share.
	ThresholdOffload OffloadPolicy = "Threshold"
)

// Offload says when blocks are copied to the tier below.
type Offload struct {
	// policy is Eager: blocks are copied when they are computed, as vLLM's
	// connectors do. Lazy: when their place is wanted, and the step that wants it
	// waits. Threshold: those that would be evicted next, once more than
	// threshold of the blocks hold something, and nobody waits.
	// +optional
	// +kubebuilder:default=Eager
	Policy OffloadPolicy `json:"policy,omitempty"`
	// threshold is the share of the GPU's blocks above which Threshold begins.
	// +optional
	// +kubebuilder:default="0.95"
	Threshold Fraction `json:"threshold,omitempty"`
	// thrashWindow is how soon after a block was copied down its reload counts as
	// thrashing. It changes nothing else.
	// +optional
	// +kubebuilder:default="10s"
	ThrashWindow Duration `json:"thrashWindow,omitempty"`
}
