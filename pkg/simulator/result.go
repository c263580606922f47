// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/kv/stability"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// Result is what a run measured.
type Result struct {
	// Labels are the source's names for clients, tenants and classes.
	Labels workload.Labels
	// Pools are the pools' names, in the order of Config.
	Pools []string
	// Cells hold the figures of the measured requests, one cell for each
	// (pool, tenant, class, model) that saw one, in that order.
	Cells []Cell
	// Measured runs from the end of warm-up to the last measured event: the
	// span that throughput is over. The drain is in it.
	Measured time.Duration
	// Replicas is what each replica did; len == endpoints.
	Replicas []ReplicaUse
	// Units is what became of each of Config.Scaling.
	Units []UnitUse
	// End is the time of the last event.
	End simtime.Time
	// Decisions are those on all requests.
	Decisions Decisions
	// Series follow the run through time; nil unless Config.Series asks for them.
	Series *Series
}

// NoPool is the Cell.Pool of requests that reached no replica.
const NoPool = -1

// Reason says why a request was rejected.
type Reason int

// The reasons.
const (
	// NoEndpoint: the router left no endpoint to choose.
	NoEndpoint Reason = iota
	// Shed: the router turned it away because the pool is saturated.
	Shed
	// EmptyPrompt: an engine refuses a request without a prompt.
	EmptyPrompt
	// ExceedsModelLength: prompt plus output are over the pool's MaxModelLen.
	ExceedsModelLength
	// ExceedsKVCache: prompt plus output are more than all KV blocks hold.
	ExceedsKVCache
	// NoRoom: the stability controller found no room for it next to what runs.
	NoRoom
	// QueueFull: the router keeps as many requests back as it may already.
	QueueFull
	// Expired: the router has kept it back for as long as it may.
	Expired
	// Evicted: the router ended it after it was sent to a replica.
	Evicted
	// RateLimited: requests came faster than a rate limit of the admission.
	RateLimited
	// OverBudget: its tenant had used up its budget.
	OverBudget
	// ClassRefused: the admission let no request of its class enter.
	ClassRefused
	// EngineQueueFull: the engine had as many requests as its pool's MaxQueuedRequests.
	EngineQueueFull
	// EngineTokensFull: its requests without a token had prompts of as many tokens as
	// MaxQueuedTokens.
	EngineTokensFull

	// Reasons is how many there are.
	Reasons
)

var reasonNames = [Reasons]string{"noEndpoint", "shed", "emptyPrompt", "exceedsModelLength", "exceedsKVCache", "noRoom", "queueFull", "expired", "evicted", "rateLimited", "overBudget", "classRefused", "engineQueueFull", "engineTokensFull"}

// String returns the reason as results write it, such as noEndpoint.
func (r Reason) String() string { return reasonNames[r] }

// Cell holds the figures of the requests of one pool, tenant, class and model.
// Every request that arrived ended in exactly one way. It has a field for each figure, as
// results do.
type Cell struct {
	// Pool indexes Result.Pools, or is NoPool; Tenant and Class index the
	// labels. Model is one more than the index of the model that the requests ask
	// for; 0 where they name none.
	Pool, Tenant, Class, Model int

	// Arrived = Completed + Rejected + TimedOut + Failed + Unfinished.
	Arrived, Completed, Rejected, TimedOut, Failed, Unfinished int64
	// Retries are those of Arrived that are not the first attempt of a client.
	Retries int64
	// RejectedBy splits Rejected, indexed by Reason.
	RejectedBy [Reasons]int64

	// MetTTFT, MetTPOT and MetE2E count completed requests within that
	// target of their class, Good those within all of them. Where there is
	// no target every completed request counts.
	Good, MetTTFT, MetTPOT, MetE2E int64
	// FirstGood are those of Good that are first attempts.
	FirstGood int64

	// PromptTokens are those of the requests that were scheduled at least
	// once, CachedTokens what the prefix cache in GPU memory gave them at that
	// moment, TierTokens what each lower tier gave beyond it.
	PromptTokens, CachedTokens int64
	TierTokens                 [TierKinds]int64
	// Where routers keep an index of caches, PromisedTokens are those that the index had
	// of these prompts at the replica that was chosen, as far as a cache can give them,
	// FoundTokens what it and lower tiers gave, and KeptTokens the smaller one of each
	// request's. BelievedPromptTokens are the prompts of these requests.
	BelievedPromptTokens, PromisedTokens, FoundTokens, KeptTokens int64
	// OutputTokens counts each generated token once.
	OutputTokens int64
	// Where engines speculate, Drafts counts the steps of requests that verify drafts,
	// DraftTokens the drafts, and AcceptedTokens those of them that are accepted, be they
	// beyond the end of the answer or not.
	Drafts, DraftTokens, AcceptedTokens int64
	// Preemptions counts evictions from a batch, RecomputedTokens the tokens
	// that were computed again because of them.
	Preemptions, RecomputedTokens int64
	// Handoffs counts the prompts whose KV went from one replica to another and
	// was there, Migrated the times that a request was routed again because its
	// replica failed.
	Handoffs, Migrated int64

	// Histograms in ns. TTFT and E2E run from the arrival at the gateway,
	// Queueing from there to the start of the first step that computes
	// something of the request. TPOT is (last token − first) ÷ (tokens − 1),
	// one value a completed request with at least two tokens. ITL is the gap
	// between successive tokens, one value a gap; tokens that come at once are one chunk, and
	// the gaps are those between chunks. TTFT counts requests that
	// got their first token, whether or not they completed. EngineTTFT is what
	// the engine reports of it: from the entry into its queue to the end of the
	// step that gave the token.
	TTFT, EngineTTFT, TPOT, ITL, E2E, Queueing stats.Histogram
	// GatewayQueueing is how long the router kept a request back before it went
	// to a replica, one value each time that one did: there are none where the
	// router keeps none.
	GatewayQueueing stats.Histogram
	// AdmissionDelay runs from the arrival to the admission, one value for each
	// request that the admission made wait and that went to a replica.
	AdmissionDelay stats.Histogram
	// Handoff runs from the end of a prompt's prefill to the moment when its
	// decode may begin, one value a hand-over. KVLoad is how long a request
	// waited for its KV from lower tiers, one value a load.
	Handoff, KVLoad stats.Histogram
	// AdapterWait is how long a request waited for its LoRA adapter, one value a wait: from
	// when the scheduler first passed it over, as the adapter had no place or was being
	// loaded, until it could be used.
	AdapterWait stats.Histogram
}

func (c *Cell) histograms() []*stats.Histogram {
	return []*stats.Histogram{&c.TTFT, &c.EngineTTFT, &c.TPOT, &c.ITL, &c.E2E, &c.Queueing, &c.GatewayQueueing, &c.AdmissionDelay, &c.Handoff, &c.KVLoad, &c.AdapterWait}
}

// Recycle drops the cells of a result that is not used any more. Copies of cells share their buckets,
// so there must be none.
func (r *Result) Recycle() {
	for i := range r.Cells {
		for _, h := range r.Cells[i].histograms() {
			h.Recycle()
		}
	}
	r.Cells = nil
}

// Completion is one request that completed, in times at the gateway. Its TTFT
// is FirstToken − Arrival, its TPOT (LastToken − FirstToken) ÷ (OutputTokens − 1).
type Completion struct {
	// ID numbers requests in order of arrival, from 0.
	ID int
	// Arrival is when the request reached the gateway, FirstToken and
	// LastToken when the ends of its answer did.
	Arrival, FirstToken, LastToken simtime.Time
	// CachedTokens is what the prefix cache in GPU memory gave of the prompt
	// when the request was first scheduled.
	PromptTokens, CachedTokens, OutputTokens int
	// TierTokens are those that lower tiers gave in addition.
	TierTokens [TierKinds]int32
}

// ReplicaUse is what one replica did between the end of warm-up and the end
// of the run.
type ReplicaUse struct {
	// Pool indexes Result.Pools.
	Pool int
	// Lifetimes are the times for which the replica was there, in order. One ends
	// when the replica fails, and the next begins when it recovers.
	Lifetimes []Lifetime
	// Stages is the time in each stage, of a replica that a scaler scales.
	Stages [autoscaling.Stages]time.Duration
	// Busy is the time in which a step was under way.
	Busy time.Duration
	// Steps counts the steps that ended.
	Steps int64
	// Served counts requests that the engine has given all of their tokens, or whose
	// prompt it has computed for another. ServedTokens are the tokens of their prompts
	// and answers; of the latter those of the prompts.
	Served, ServedTokens int64
	// PeakKV and MeanKV are shares of the KV blocks in use, 0 to 1; the mean
	// is over the lifetimes.
	PeakKV, MeanKV float64
	// Preemptions counts evictions of requests from the batch, Evictions of
	// cached blocks whose contents were dropped to make room.
	Preemptions, Evictions int64
	// Tiers are the lower tiers, fastest first.
	Tiers []TierUse
	// Links are the links and devices that KV crosses: toHost, toGPU, cpu.read,
	// cpu.write, storage.read, storage.write, egress and ingress, those that
	// there are, in this order.
	Links []LinkUse
	// Queue is what the order of the wait queue did; nil if it is not watched.
	Queue *QueueUse
	// Stability is what the controller knew when arrivals ended; nil where
	// it is not watched.
	Stability *stability.State
}

// TierUse is what became of a tier's blocks. One that the replicas of a pool share
// stands with the first of them, with what all did.
type TierUse struct {
	Kind   TierKind
	Blocks int
	// PeakShare and MeanShare are shares of the blocks that hold something, or
	// are kept for what is on its way, 0 to 1; the mean is over time.
	PeakShare, MeanShare float64
	// StoredBlocks have arrived in the tier, LoadedBlocks were sent from it to
	// the GPU, EvictedBlocks made room, RefusedBlocks were to be stored and
	// found none. ThrashedBlocks were loaded within Offload.ThrashWindow after
	// they were stored.
	StoredBlocks, LoadedBlocks, EvictedBlocks, ThrashedBlocks, RefusedBlocks int64
}

// LinkUse is what crossed a link, or one side of a device.
type LinkUse struct {
	Name  string
	Bytes int64
	// Busy is the time in which something moved, MeanConcurrency how many
	// transfers shared the link in that time, on average.
	Busy            time.Duration
	MeanConcurrency float64
}

// QueueUse is what the order of a replica's wait queue did to the measured requests that
// waited in it. Each counts once at most.
type QueueUse struct {
	// Inversions counts the requests that still waited when the batch of a step was
	// formed into which a request of lower priority was admitted.
	Inversions int64
	// Blocked counts the requests that still waited when the batch of a step was formed
	// that computes a prompt with at least Config.LongPrompt times as many tokens to
	// compute, or that had no KV blocks for the first request of the queue, and enough
	// for them.
	Blocked int64
}

// DefaultLongPrompt is how many times as many tokens the prompt at the head of the line
// has at least, by default.
const DefaultLongPrompt = 8

// UnitUse is what became of a unit between the end of warm-up and the end of the run.
type UnitUse struct {
	// Pools index Result.Pools.
	Pools []int
	// Ups and Downs count the decisions that changed how many replicas were wanted of all
	// pools together, or, where that stayed, of the first pool. Reversals are those in
	// another direction than the one before.
	Ups, Downs, Reversals int64
	// Lost counts the requests that failed because their replica was taken away,
	// FailedStarts the starts of replicas that did.
	Lost, FailedStarts int64
	// RatioDrift is the mean over time of the share by which the ratio of replicas that
	// serve, of the first pool to the second one, was off the ratio at the start. The
	// time does not count in which a pool had none. It is 0 for a single pool.
	RatioDrift float64
	// LongestMiss is the longest time without a scrape before which at least
	// RecoveredShare of the requests met their targets, of those that had ended since the
	// scrape before. A scrape without such requests changes nothing.
	LongestMiss time.Duration
}

// RecoveredShare is the share of requests within their targets from which on a cluster
// counts as recovered.
const RecoveredShare = 0.9
