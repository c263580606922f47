// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// An EngineStep is a step of an engine that begins.
type EngineStep struct {
	At       simtime.Time
	Duration time.Duration
	// Replica counts the replicas of all pools, in their order.
	Replica int
	// Running are the requests of the batch, and Waiting those of the wait queue with those whose KV
	// is on its way, as metrics count them.
	Running, Waiting int
	// PrefillTokens and DecodeTokens are what the step computes.
	PrefillTokens, DecodeTokens int
	// KVUsage is as metrics have it, with the blocks of the step.
	KVUsage float64
}

// A Preemption is a request that a replica takes out of its batch because KV blocks are short.
type Preemption struct {
	At simtime.Time
	// Request is its ID, Replica counts the replicas of all pools, in their order.
	Request, Replica int
	// Running and Waiting are as in an [EngineStep], the request among those that run. KVUsage is with
	// its blocks, and Computed is how many of its tokens are to be computed again.
	Running, Waiting, Computed int
	KVUsage                    float64
}

// The reasons of transfers.
const (
	OffloadTransfer = "offload"
	ReloadTransfer  = "reload"
	HandOverReason  = "pd_handoff"
)

// The places of KV in words.
const (
	GPUPlace     = "GPU"
	CPUPlace     = "CPU"
	StoragePlace = "Storage"
)

// NoRequest is the Transfer.Request of blocks that belong to no request.
const NoRequest = -1

// A Transfer is a transfer of KV that ended.
type Transfer struct {
	// Begun is when it was asked for, and Ended when its last byte was there, or when it was taken
	// back because its request or its replica was gone: Cancelled.
	Begun, Ended simtime.Time
	Cancelled    bool
	// Reason is offload, reload or pd_handoff.
	Reason string
	// Request is the ID of the request whose blocks move, or NoRequest.
	Request int
	// From and To count the replicas of all pools. They differ in hand-overs only.
	From, To         int
	FromTier, ToTier string
	Bytes            int64
}

// A HandOver is the hand-over of a prompt's KV from the replica that computed it to the one that
// decodes. Times that did not come are negative.
type HandOver struct {
	Request int
	// Prefill and Decode count the replicas of all pools.
	Prefill, Decode int
	// Begun is when the request was sent on its way, Prefilled when its prompt was computed, Ready when
	// it might decode, and Ended when all blocks had come, or when it was Cancelled because the
	// request, one of its replicas or the need for the rest was gone.
	Begun, Prefilled, Ready, Ended simtime.Time
	Cancelled                      bool
	// Tokens are those of the prompt that came from the other replica, once it is Ready, and Bytes what arrived.
	Tokens int
	Bytes  int64
}
