// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"context"
	"slices"

	"windtunnel.dev/windtunnel/pkg/bound"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// Ceiling is what is possible at most with the requests and the replicas of one simulation,
// whatever the router does.
type Ceiling struct {
	Seed int64 `json:"seed"`
	// PromptTokens are those of all requests that count.
	PromptTokens int64 `json:"promptTokens"`
	// UnboundedTokens are found by caches without a limit, in any order of requests.
	UnboundedTokens int64 `json:"unboundedTokens"`
	// Blocks are those of all replicas and tiers, and ClairvoyantTokens are found by caches of
	// that number of blocks that know the future. They are nil where Reordered says why requests are
	// not served in order of arrival.
	Blocks            *int64 `json:"blocks,omitempty"`
	ClairvoyantTokens *int64 `json:"clairvoyantTokens,omitempty"`
	Reordered         string `json:"reordered,omitempty"`
	// Unknown says why there is no ceiling at all; empty where there is one.
	Unknown string `json:"unknown,omitempty"`
	// EndSeconds is a time before which the replicas cannot have answered all requests. It is
	// nil where PaceUnknown says why.
	EndSeconds  *float64 `json:"endSeconds,omitempty"`
	PaceUnknown string   `json:"paceUnknown,omitempty"`
}

// ceilingCheck is how many requests are read between two looks at the context.
const ceilingCheck = 1024

// FindCeiling computes the ceiling of a run under a seed. The traces must be the plan's.
func FindCeiling(ctx context.Context, p *experiment.Plan, traces trace.Set, seed int64) (*Ceiling, error) {
	c, err := Config(p, traces, experiment.Case{Trial: &experiment.Trial{Share: 1}, Seed: seed})
	if err != nil {
		return nil, err
	}
	ceiling := &Ceiling{Seed: seed, Reordered: reorders(&c)}
	if ceiling.Unknown = noCeiling(&c); ceiling.Unknown != "" {
		return ceiling, workload.Close(c.Source)
	}
	reuse := bound.NewReuse(c.Pools[0].BlockTokens)
	var demands []bound.Demand
	warmUp := simtime.Time(c.Horizon.WarmUp)
	for n := 0; c.Horizon.Requests == 0 || n < c.Horizon.Requests; n++ {
		if n%ceilingCheck == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		r, ok := c.Source.Next()
		if !ok || c.Horizon.Duration > 0 && r.Arrival >= simtime.Time(c.Horizon.Duration) {
			break
		}
		counts := r.Arrival >= warmUp
		if counts {
			ceiling.PromptTokens += int64(r.Prompt.Tokens())
		}
		answer := prompt.Extent{Source: r.Response, Start: r.ResponseStart, Tokens: int32(max(r.OutputTokens, 1))}
		_, adapter := c.Find(&r)
		reuse.Add(r.Prompt, answer, int32(adapter), counts)
		demands = append(demands, bound.Demand{Arrival: r.Arrival, PromptTokens: r.Prompt.Tokens(), OutputTokens: int(answer.Tokens)})
	}
	for i := range demands {
		demands[i].ComputedTokens = demands[i].PromptTokens - reuse.Found(i)
	}
	ceiling.boundPace(&c, demands)
	ceiling.UnboundedTokens = reuse.Unbounded()
	if ceiling.Reordered == "" {
		blocks := blocksOf(&c)
		tokens := reuse.Clairvoyant(int(blocks))
		ceiling.Blocks, ceiling.ClairvoyantTokens = &blocks, &tokens
	}
	return ceiling, workload.Close(c.Source)
}

// boundPace computes before when the replicas cannot have answered all requests.
func (x *Ceiling) boundPace(c *simulator.Config, demands []bound.Demand) {
	first := &c.Pools[0]
	timer, ok := first.Timer.(latency.Floored)
	switch {
	case len(c.Pools) > 1:
		x.PaceUnknown = "there are several pools"
	case first.Speculation != nil:
		x.PaceUnknown = "speculative decoding gives a request several tokens in a step"
	case !ok:
		x.PaceUnknown = "the latency model has no linear lower bound"
	default:
		end := bound.Makespan(demands, bound.Engines{
			Replicas: first.Places(), MaxNumSeqs: first.MaxNumSeqs, MaxNumBatchedTokens: first.MaxNumBatchedTokens,
			Floors: timer.Floors(),
		}).Seconds()
		x.EndSeconds = &end
	}
}

// noCeiling says why nothing is known of what caches can give; "" where something is.
func noCeiling(c *simulator.Config) string {
	first := &c.Pools[0]
	switch {
	case c.Listener != nil:
		return "the answers decide which requests come"
	case slices.ContainsFunc(c.Pools, func(p simulator.Pool) bool { return p.Router != first.Router }):
		return "several routers do not share their caches"
	case slices.ContainsFunc(c.Pools, func(p simulator.Pool) bool { return p.BlockTokens != first.BlockTokens }):
		return "the pools have blocks of different sizes"
	case slices.ContainsFunc(c.Pools, func(p simulator.Pool) bool { return p.InitialCacheHitRate > 0 }):
		return "caches hold prompts that no request has computed"
	default:
		return ""
	}
}

// reorders says why replicas do not look up their caches in order of arrival; "" where they
// do.
func reorders(c *simulator.Config) string {
	pool := func(is func(*simulator.Pool) bool) bool {
		return slices.ContainsFunc(c.Pools, func(p simulator.Pool) bool { return is(&p) })
	}
	ranked := func(p *simulator.Pool) bool {
		if p.Scheduler == nil {
			return false
		}
		s := p.Scheduler()
		return s.Order != nil || s.Moving != nil
	}
	switch {
	case pool(ranked):
		return "a scheduler has an order of its own"
	case pool(func(p *simulator.Pool) bool { return p.Adapters != nil }):
		return "requests wait for adapters"
	case pool(func(p *simulator.Pool) bool { return p.Cost.QueuePerInputToken > 0 }):
		return "long prompts reach the queue later"
	case c.Policies.Routing.Queue != nil || c.Policies.Admission != nil:
		return "the gateway holds requests back"
	case len(c.Disruptions) > 0:
		return "requests move when a replica fails"
	case c.Handoff != (simulator.Handoff{}):
		return "requests are handed over"
	default:
		return ""
	}
}

// blocksOf returns how many blocks all replicas hold, in all tiers.
func blocksOf(c *simulator.Config) int64 {
	blocks := int64(0)
	for i := range c.Pools {
		p := &c.Pools[i]
		replicas := int64(p.Places())
		blocks += replicas * int64(p.KVBlocks)
		for _, tier := range p.Tiers.Lower {
			if tier.Shared {
				blocks += int64(tier.Blocks)
				continue
			}
			blocks += replicas * int64(tier.Blocks)
		}
	}
	return blocks
}
