// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/policy/parameters"
)

// A Policy describes a scheduler for people.
type Policy struct {
	Name string
	// Does is whom it serves first, and Sees what it needs to know for that.
	Does, Sees string
	// Victim is the name of its default victim.
	Victim string
	// ByDeadline says that it orders by TTFT targets, and is of no use without any.
	ByDeadline bool
	// read reads the parameters and returns how the factory is made.
	read func(*reader) func(Environment) Factory
}

// Parameters are those of the policy.
func (p *Policy) Parameters() []parameters.Parameter {
	r := &reader{Reader: parameters.NewReader(nil, nil)}
	p.read(r)
	return r.Known()
}

// A reader reads a policy's parameters.
type reader struct {
	*parameters.Reader
	weights map[string]float64 // of tenants, where there are some
}

// weightPrefix is what comes before a colon and a tenant in the name of the tenant's weight.
const weightPrefix = "weight"

// Environment is what factories need to know of a simulation.
type Environment struct {
	Seed int64
	// Tenants are the workload's names of tenants.
	Tenants []string
}

// policies are all there are.
var policies = []Policy{
	{Name: "FCFS", Victim: "LastAdmitted", Does: "the request that came first, as vLLM by default", Sees: "the order of entry", read: fixed(FCFS)},
	{Name: "Priority", Victim: "LowestRank", Does: "the request with the highest priority, as vLLM with `--scheduling-policy priority`", Sees: "priority", read: fixed(Priority)},
	{Name: "ReversePriority", Victim: "LowestRank", Does: "the request with the lowest priority: a worst case to compare with", Sees: "priority", read: fixed(ReversePriority)},
	{Name: "ShortestPrompt", Victim: "LastAdmitted", Does: "the request with the shortest prompt", Sees: "the length of the prompt", read: fixed(ShortestPrompt)},
	{Name: "ShortestPredicted", Victim: "LastAdmitted", Does: "the request whose prompt and predicted answer together are the shortest", Sees: "the length of the prompt, and a prediction of the answer's length", read: readShortestPredicted},
	{Name: "ShortestOracle", Victim: "LastAdmitted", Does: "the request whose prompt and true answer together are the shortest: a bound that no engine can reach", Sees: "the length of the prompt, and **the true length of the answer**, which no other scheduler sees", read: fixed(ShortestOracle)},
	{Name: "EarliestDeadline", Victim: "LastAdmitted", Does: "the request whose first token is due first (EDF). Requests without a TTFT target come last", Sees: "the arrival at the router, and the TTFT target of the tenant or class", ByDeadline: true, read: fixed(EarliestDeadline)},
	{Name: "WeightedFair", Victim: "LastAdmitted", Does: "the tenant that is furthest behind its share of the tokens (start-time fair queueing)", Sees: "the tenant, and the tokens that the engine has served to each tenant", read: readWeightedFair},
	{Name: "LeastAttainedService", Victim: "LastAdmitted", Does: "the tenant with the fewest tokens served since the engine's start", Sees: "the tenant, and the tokens that the engine has served to each tenant", read: fixed(LeastAttainedService)},
}

// VictimPolicy describes a choice of the request that gives way.
type VictimPolicy struct {
	Name, Does string
	choose     Victim
}

// victims are all there are.
var victims = []VictimPolicy{
	{"LastAdmitted", "the request that was admitted to the batch last, as vLLM's FCFS", nil},
	{"LowestRank", "the request that the scheduler would serve last, as vLLM's priority scheduling", LowestRank},
	{"FewestComputedTokens", "the request with the fewest tokens in the KV cache, which loses the least work", FewestComputedTokens},
	{"MostBlocks", "the request that holds the most KV blocks, so that few requests give way", MostBlocks},
}

// Policies returns all schedulers.
func Policies() []Policy { return slices.Clone(policies) }

// Victims returns all victims.
func Victims() []VictimPolicy { return slices.Clone(victims) }

// fixed is for schedulers without parameters.
func fixed(f Factory) func(*reader) func(Environment) Factory {
	return func(*reader) func(Environment) Factory { return func(Environment) Factory { return f } }
}

func readShortestPredicted(r *reader) func(Environment) Factory {
	shape := ErrorShape(r.Choice("distribution", "the distribution of predicted ÷ true length, with the mean 1", string(LogNormalErrors), string(UniformErrors)))
	most := 10.0
	if shape == UniformErrors {
		most = 1
	}
	relativeError := r.PositiveUpTo("error", most, 0.5, "the relative error of the prediction, greater than 0: the standard deviation of predicted ÷ true length for `logNormal` errors, the greatest error for `uniform` ones")
	return func(e Environment) Factory {
		return func() Scheduler { return ShortestPredicted(NewPredictor(e.Seed, shape, relativeError)) }
	}
}

func readWeightedFair(r *reader) func(Environment) Factory {
	const most = 1e6
	weights := r.PositiveByName(weightPrefix, "tenant", most, 1, "the weight of a tenant, such as `weight:free`, greater than 0: shares of tokens are in proportion to weights")
	r.weights = weights
	return func(e Environment) Factory {
		all := make([]float64, len(e.Tenants))
		for i, tenant := range e.Tenants {
			all[i] = 1
			if w, ok := weights[tenant]; ok {
				all[i] = w
			}
		}
		return func() Scheduler { return WeightedFair(all) }
	}
}
