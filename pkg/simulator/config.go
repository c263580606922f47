// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"cmp"
	"time"

	"windtunnel.dev/windtunnel/pkg/kv"
	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/scheduling"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// DefaultScrapeInterval is how often the EPP scrapes its endpoints unless told
// otherwise.
const DefaultScrapeInterval = 50 * time.Millisecond

// Config is one simulation. Run uses up Policies and Source; Timers may be
// shared by concurrent runs if they are safe for that.
//
// It has many fields since callers write it as one literal: the listeners of a run are
// functions of their own.
type Config struct {
	// Pools hold the replicas. Endpoints are numbered through all pools, in
	// order: the router's endpoint 0 is the first replica of the first pool.
	Pools []Pool
	// Policies decide at the gateway. The run owns them.
	Policies policy.Policies
	// Source gives the requests in order of arrival, with prompts and answers
	// of at most workload.MaxTokens. The run owns it.
	Source workload.Source
	// Listener hears how the requests of Source end, and knows when the next one
	// arrives: it is Source itself, or what Source wraps. It is nil where no request
	// of Source waits for another. It learns of no end once no more requests arrive,
	// nor of one at or after Horizon.Duration.
	Listener workload.Listener
	// Horizon says when the run ends.
	Horizon Horizon
	// ScrapeInterval is the time between two scrapes of one endpoint; each
	// endpoint has a phase of its own. 0 means DefaultScrapeInterval.
	ScrapeInterval time.Duration
	// Handoff is how KV goes from prefill to decode replicas.
	Handoff Handoff
	// Disruptions are what happens to replicas, in order of time. What happens to an
	// endpoint happens to all ranks of its replica.
	Disruptions []Disruption
	// Scaling are the units whose replicas scalers start and end. A run without any has
	// the replicas of its pools, but for Disruptions.
	Scaling []ScaledUnit
	// NodePools are where pools that name one find places for their replicas.
	NodePools []NodePool
	// AwaitReplicas is how long a request waits at the gateway for a replica to serve
	// where a scaler has left none; 0 is not at all.
	AwaitReplicas time.Duration
	// RouterOf is the router of each model, by Request.Model; nil where there is one. Route
	// stands in its place where it is not nil.
	RouterOf []int
	Route    Route
	// Targets are the SLOs by class, indexed as the source's class labels.
	// Classes beyond the slice have none; nil means no SLOs at all.
	Targets []Target
	// TenantTargets are the SLOs by tenant and class, of tenants with SLOs of their own:
	// indexed as the source's tenant labels, each is as Targets are. A nil entry, or one
	// beyond the slice, has those of Targets.
	TenantTargets [][]Target
	// Seed draws what the cluster itself leaves to chance: the phases of the
	// scrapes, and which drafts are accepted. Policies and Source bring their own.
	Seed int64
	// Arrived receives the time of every arrival, in the order of the source; nil if it is not
	// needed. It changes nothing of the run.
	Arrived func(at simtime.Time)
	// Completed receives every request that completes, once, when its last
	// token reaches the gateway; nil if it is not needed. Calls come in no
	// particular order. It changes nothing of the run.
	Completed func(Completion)
	// Rejected receives every request that is rejected, by its ID, once, right
	// after the router was asked where it was, but not of those that are Evicted
	// later; nil if it is not needed. It changes nothing of the run.
	Rejected func(request int, reason Reason)
	// Ended receives every request that arrived, once, whichever way it ended;
	// nil if it is not needed. Calls come in an order of their own, which is the
	// same in every run of the Config. It changes nothing of the run.
	Ended func(RequestEnd)
	// Evicted receives those, by their ID, once; nil if it is not needed. It
	// changes nothing of the run.
	Evicted func(request int)
	// Preempted receives every request that a replica takes out of its batch and puts
	// back into its wait queue, each time, in an order of their own, as those of Ended; nil if it is
	// not needed. It changes nothing of the run.
	Preempted func(Preemption)
	// Stepped receives every step of an engine that begins, Transferred of every transfer of KV that
	// ends, and HandedOver of every hand-over that ends; nil if they are not needed. What one replica
	// does comes in order of time; replicas report in turn. They change nothing of the run.
	Stepped     func(EngineStep)
	Transferred func(Transfer)
	HandedOver  func(HandOver)
	// Scaled receives every decision of a scaler, and Staged of every change of the
	// stage of a replica; nil if they are not needed. They change nothing of the run.
	Scaled func(ScalerCall)
	Staged func(StageChange)
	// WatchQueues marks in RequestEnd what the order of the wait queues did to each request.
	// LongPrompt is how many times as many tokens to compute the prompt at the head of the
	// line has at least; 0 means DefaultLongPrompt. They change nothing else of the run.
	WatchQueues bool
	LongPrompt  int
	// Series asks for time series of the run. They change nothing else of its Result.
	Series SeriesConfig
	// CheckInvariants makes every event check what must always hold (see
	// invariants.go) and panic with the values where it does not.
	CheckInvariants bool
}

// Pool is a set of identical replicas. Its fields are the flags of an engine, one for
// each.
type Pool struct {
	Name string
	// Router numbers the routers that scrape the replicas, where several do, each its
	// own. The phases of a router's scrapes do not depend on the others. ScrapeInterval
	// is the router's; 0 means that of Config.
	Router         int
	ScrapeInterval time.Duration
	// Live lets the router and the policies before it see the replicas as they are at
	// each decision, in place of scrapes.
	Live bool
	// Replicas is how many are there at the start, MaxReplicas how many there may
	// be at once; 0 means Replicas. Endpoints are numbered for all of MaxReplicas.
	// A replica beyond Replicas begins its first lifetime when it recovers.
	Replicas, MaxReplicas int
	// Ranks is how many of them in a row are the data-parallel ranks of one replica, which
	// fails and recovers as a whole; 0 means 1. It divides both. A pool of a ScaledUnit has
	// none.
	Ranks int
	// OnePort puts the ranks of a replica behind one port: the router sees the first of them
	// alone, and the API server of the engine chooses one for each request, as vLLM does with
	// internal load balancing. Then there are several ranks.
	OnePort bool
	// LockStep gives the duration of a step of all ranks of a replica, where they step
	// together; nil where each steps on its own, by Timer.
	LockStep GroupTimer
	// Startup is how a replica starts that a scaler asks for, Ending what becomes of the
	// requests of one that it takes away.
	Startup Startup
	Ending  Ending
	// NodePool is one more than the index of the node pool that such replicas find places
	// on, 0 where they need none. Accelerators is how many a replica takes.
	NodePool, Accelerators int
	// Timer gives the duration of an engine step.
	Timer latency.StepTimer
	// Cost is charged to requests outside engine steps: a delay before the
	// request enters the wait queue, a delay of each output token that the step
	// clock does not see, and one after the last token.
	Cost latency.RequestCost
	// BlockTokens is the size of a KV block in tokens, KVBlocks how many
	// blocks one replica has.
	BlockTokens, KVBlocks int
	// Windows are what layers with sliding windows hold of each running sequence,
	// in addition to its blocks.
	Windows kv.Windows
	// ReportedBlocks is how many blocks the engine says that it has; 0 means
	// KVBlocks. (vLLM keeps one to itself, and counts it.)
	ReportedBlocks int
	// PrefixCaching lets requests reuse the blocks of equal prefixes.
	PrefixCaching bool
	// MaxNumSeqs bounds the requests that run at once on a replica,
	// MaxNumBatchedTokens the tokens computed in one step. Both at least 1.
	MaxNumSeqs, MaxNumBatchedTokens int
	// MaxQueuedRequests bounds the requests that an engine has, those that run included, and
	// MaxQueuedTokens lets no request in while the prompts of those without a token have as
	// many tokens: vLLM's --max-num-queued-reqs and --max-num-queued-tokens. The engine refuses
	// what is beyond. It counts each rank by itself, or all of them with OnePort. nil is no bound.
	MaxQueuedRequests, MaxQueuedTokens *int
	// LongPrefillTokens bounds the tokens of a prompt that one request computes
	// in a step, as vLLM's --long-prefill-token-threshold; 0 is no bound of its
	// own.
	LongPrefillTokens int
	// ReserveFullPrompt admits a request only where the whole of it fits in addition to
	// what runs, and not just its first chunk, as vLLM does since 0.18
	// (scheduler_reserve_full_isl).
	ReserveFullPrompt bool
	// AsynchronousScheduling has the engine schedule each step when the one before it
	// begins, as vLLM does since 0.14: what joins the wait queue while a step runs is not
	// in the next one, unless that would be empty.
	AsynchronousScheduling bool
	// Speculation is speculative decoding; nil is none.
	Speculation *Speculation
	// Scheduler makes what orders the wait queue of a replica and says who is
	// preempted, anew where the replica recovers; nil is first come, first served.
	Scheduler scheduling.Factory
	// WatchQueue measures what the order of the wait queue does to those who wait
	// (see Config.WatchQueues for each of them). It changes nothing else of the run.
	WatchQueue bool
	// BlockBytes is the size of a KV block in bytes, at least 1 where blocks are
	// transferred and 0 where it does not matter.
	BlockBytes int64
	// InitialCacheHitRate is the share of each prompt that the cache of a replica holds as it
	// starts, 0 to 1, in whole blocks. Each share takes blocks without content, of which
	// only those count that were there for the prompts before.
	InitialCacheHitRate float64
	// Eviction orders the free blocks that still have content.
	Eviction kv.Order
	// Tiers lie below the cache in GPU memory.
	Tiers Tiers
	// Adapters are places for LoRA adapters; nil leaves the adapters that
	// requests ask for out of consideration, but for what is cached.
	Adapters *AdapterPlaces
	// Stability watches the cache; nil without a controller.
	Stability *Stability
	// MaxModelLen bounds prompt plus output of one request, in tokens.
	// 0 means as much as the KV cache holds.
	MaxModelLen int
}

// A Route is how requests find their router.
type Route interface {
	// Of returns the index of a request's router, and the number of the adapter that serves
	// it there, which are the same whenever it is asked.
	Of(w *workload.Request) (router, adapter int)
	// Adapters are the names of the adapters by their number less 1: those that the source labels,
	// and then those that only the route gives.
	Adapters() []string
}

// Find returns the index of a request's router, and the number of the adapter that serves it.
func (c *Config) Find(w *workload.Request) (router, adapter int) {
	switch {
	case c.Route != nil:
		return c.Route.Of(w)
	case c.RouterOf != nil:
		return c.RouterOf[w.Model], w.Adapter
	}
	return 0, w.Adapter
}

// Adapters are the names of the adapters by their number less 1.
func (c *Config) Adapters() []string {
	if c.Route != nil {
		return c.Route.Adapters()
	}
	return c.Source.Labels().Adapters
}

// Routers is how many routers there are.
func (c *Config) Routers() int {
	n := 1
	for i := range c.Pools {
		n = max(n, c.Pools[i].Router+1)
	}
	for _, router := range c.RouterOf {
		n = max(n, router+1)
	}
	return n
}

// Target is the SLO of one class. A zero field is no target: every completed
// request meets it.
type Target struct {
	TTFT, TPOT, E2E time.Duration
}

// FindTarget returns the SLO of a tenant's requests of a class, in the fields of a [Config].
func FindTarget(targets []Target, ofTenants [][]Target, tenant, class int) Target {
	if tenant < len(ofTenants) && ofTenants[tenant] != nil {
		targets = ofTenants[tenant]
	}
	if class < len(targets) {
		return targets[class]
	}
	return Target{}
}

// Horizon ends a run. Arrivals end after Requests of them, or before the
// first one at or after Duration, or with the source, whichever comes first;
// 0 means no such bound. From that moment the cluster drains for at most
// Drain; what is then still in flight counts as unfinished.
type Horizon struct {
	Requests int
	Duration time.Duration
	// WarmUp excludes from the figures, but not from the simulation, the
	// requests that arrive before it.
	WarmUp time.Duration
	Drain  time.Duration
}

// AdapterPlaces let a replica serve LoRA adapters, as vLLM does with --enable-lora.
type AdapterPlaces struct {
	// Max is how many a replica holds, and so how many its batch may have
	// requests of (--max-loras); at least 1.
	Max int
	// LoadTime is how long it takes until an adapter can be used that the
	// replica does not hold. vLLM loads in the course of a step, which takes as
	// much longer; here the requests that ask for it wait, and no other request waits.
	LoadTime time.Duration
}

// GroupTimer gives the duration of a step that ranks make together: one Step for each
// rank, all of them 0 for a rank without work. It is deterministic, at least 1 ns, and safe
// for concurrent use.
type GroupTimer interface {
	GroupStepTime(ranks []latency.Step) time.Duration
}

// ScrapeIntervalOf is the time between two scrapes of a replica of a pool.
func (c *Config) ScrapeIntervalOf(p *Pool) time.Duration {
	return cmp.Or(p.ScrapeInterval, c.ScrapeInterval, DefaultScrapeInterval)
}
