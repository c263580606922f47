// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"slices"
	"strings"

	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// A blindSpot is what a workload or a load may lack, so that parts of a scenario do nothing.
type blindSpot struct {
	// words are in the paths of such parts, or in the types of plugins, in lower case.
	words []string
	// shown reports whether a simulation had it.
	shown func(*result.Row) bool
	// why says that it is lacking, and remedy how to have it.
	why, remedy string
}

// blindSpots are in order: the first one that fits a part is its reason.
var blindSpots = []blindSpot{
	{
		[]string{"prefillchunk"}, never,
		"no request computed its prompt in other chunks", "state prompts that are longer than the hint",
	},
	{
		[]string{"initialcachehitrate"}, never,
		"no prompt has a full block more or less in the cache at the start", "state prompts that are longer than some blocks, or other rates",
	},
	{
		[]string{"lora", "adapter"}, shows(result.ShownAdapters),
		"no request asks for a LoRA adapter", "state the adapters of clients (adapter, copies.adapters) or of the trace",
	},
	{
		[]string{"session"}, shows(result.ShownSessions),
		"no request belongs to a session", "state sessions: sessions of clients, or the session column of the trace",
	},
	{
		[]string{"header"}, shows(result.ShownHeaders),
		"no request has headers", "state the headers of clients",
	},
	{
		[]string{"tiers", "offload"}, anyAbove("cpuTier.loaded", "storageTier.loaded"),
		"no KV block came back from a lower tier, because GPU memory held all that was used again", "state the traffic that fills GPU memory, or its size (kvCache.blocks)",
	},
	{
		[]string{"disagg", "decider", "handoff", "pd-profile", "contextlength", "context-length"}, shows(result.ShownLengths),
		"all prompts have the same length", "state a distribution of prompt lengths",
	},
	{
		[]string{"scalers"}, anyAbove("scaling.events"),
		"no scaler changed the number of replicas", "state a load that changes through time",
	},
	{
		[]string{"prefix", "no-hit-lru", "precise", "kvevents"}, anyAbove("cacheHit.gpu", "cacheHit.total"),
		"no prompt found its beginning in a cache", trace.WaysToSharePrompts,
	},
	{
		[]string{"kvcache.eviction"}, anyAbove("evictions"),
		"no KV block was evicted, because GPU memory held all", "state the traffic that fills GPU memory, or its size (kvCache.blocks)",
	},
	{
		[]string{"flowcontrol", "saturation", "admission", "admitter", "detector"}, anyAbove("gatewayQueueing.max", "admissionDelay.max", "rejectionRate"),
		"no request was held back or refused, because the pool was never saturated", "state the load that saturates it (rate, rateScale), or fewer replicas",
	},
	{
		[]string{"fairness"}, anyAbove("fairness.tokens"),
		"all requests are of one tenant", "state tenants",
	},
	{
		[]string{"orderingpolicy"}, never,
		"both take the requests that wait in the same order", "state what the policy orders by, such as deadlines, and the load under which several wait",
	},
	{
		[]string{"priority", "priorities", "band"}, shows(result.ShownPriorities),
		"all requests have the same priority", "state the priorities of clients, tenants or the trace",
	},
	{
		[]string{"timeout"}, anyAbove("timeoutRate"),
		"no client gave a request up", "state the load under which they do",
	},
	{
		[]string{"retry"}, anyAbove("rejectionRate", "timeoutRate"),
		"no attempt was refused or given up, so that no client tried again", "state the load under which that happens",
	},
	{
		[]string{"victim", "preempt"}, anyAbove("preemptions"),
		"no request was preempted, because KV blocks were never short", "state the traffic that fills GPU memory, or its size (kvCache.blocks)",
	},
	{
		[]string{".scheduler"}, anyAbove("priorityInversions", "preemptions"),
		"no request waited for a place in a batch that another one could have had", "state the load under which requests wait (rate, rateScale), or a smaller engine.maxNumSeqs",
	},
	{
		[]string{"maxnumseqs", "maxnumbatchedtokens"}, never,
		"no batch reached either limit", "state the load under which batches are full",
	},
	{
		[]string{"kvcache.blocks", "kvcache.memoryutilization"}, never,
		"GPU memory held all blocks in either size", "state the traffic that fills it",
	},
}

// blindSpotOf is why a part did nothing; nil where no spot fits.
func blindSpotOf(part *changedPart, rows []result.Row) *blindSpot {
	text := strings.ToLower(Render(part.Path) + " " + part.typ)
	for i := range blindSpots {
		spot := &blindSpots[i]
		if !slices.ContainsFunc(spot.words, func(word string) bool { return strings.Contains(text, word) }) {
			continue
		}
		if !slices.ContainsFunc(rows, func(r result.Row) bool { return spot.shown(&r) }) {
			return spot
		}
	}
	return nil
}

// never is of parts that did nothing if no decision differs: had their limit been reached, or
// their order mattered, one would.
func never(*result.Row) bool { return false }

// shows is of a property of requests. Rows that do not say count as if they had it.
func shows(property string) func(*result.Row) bool {
	return func(r *result.Row) bool { return !r.Decisions.Known() || r.Decisions.Shows(property) }
}

// anyAbove is of metrics, one of which is above 0.
func anyAbove(names ...string) func(*result.Row) bool {
	return func(r *result.Row) bool {
		return slices.ContainsFunc(names, func(name string) bool {
			value, _ := r.Metrics.Get(name)
			return value > 0
		})
	}
}
