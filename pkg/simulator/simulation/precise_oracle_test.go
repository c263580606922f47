// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"slices"
	"testing"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/native"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// preciseConfig counts what each endpoint holds of a prompt, token by token.
const preciseConfig = `
apiVersion: llm-d.ai/v1alpha1
kind: EndpointPickerConfig
plugins:
- type: token-producer
  parameters: {modelName: m, vllm: {url: "http://render"}}
- type: precise-prefix-cache-producer
  parameters:
    tokenProcessorConfig: {blockSizeTokens: 1}
    kvEventsConfig: {zmqEndpoint: "tcp://*:5557"}
    indexerConfig: {kvBlockIndexConfig: {inMemoryConfig: {size: 1000000, podCacheSize: 1000}}}
- type: prefix-cache-scorer
  parameters: {prefixMatchInfoProducerName: precise-prefix-cache-producer}
schedulingProfiles:
- name: default
  plugins:
  - pluginRef: prefix-cache-scorer
`

// TestThePreciseIndexIsTheEngines holds what the EPP's index says of each endpoint
// at each decision against what is in its cache, block by block: all that steps
// have computed that have ended, in the best tier.
func TestThePreciseIndexIsTheEngines(t *testing.T) {
	for name, with := range map[string][]feature{
		"serving":               nil,
		"tiers":                 {randomTiers},
		"hand-overs":            {randomHandoffs},
		"disruptions":           {randomDisruptions},
		"tiers, hand-overs":     {randomTiers, randomHandoffs},
		"hand-overs and faults": {randomHandoffs, randomDisruptions},
	} {
		t.Run(name, func(t *testing.T) {
			matched := 0
			for seed := range int64(150) {
				config := randomConfigWith(randomChoices(seed, 120, 500), with...)
				o := newPreciseOracle(t, &config)
				p := newPlain(config)
				o.engine = p
				p.run()
				matched += o.matched
				if t.Failed() {
					t.Fatalf("scenario %d", seed)
				}
			}
			if matched == 0 {
				t.Error("no request found anything")
			}
		})
	}
}

// preciseOracle is an EPP's scheduler that is checked at each decision.
type preciseOracle struct {
	*scheduler.Scheduler
	t       *testing.T
	engine  *plain
	matched int
}

func newPreciseOracle(t *testing.T, run *simulator.Config) *preciseOracle {
	c, errs := epp.Load([]byte(preciseConfig), "router-v0.10", nil)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	o := &preciseOracle{t: t, Scheduler: epp.New(c, config.Cluster{Endpoints: endpointsOf(run)}, 1)}
	run.Policies.Routing = o.Routing()
	run.Policies.Routing.Router = o
	return o
}

func (o *preciseOracle) Route(v *policy.View, q *policy.Request) (policy.Route, error) {
	to, err := o.Scheduler.Route(v, q)
	if err != nil || q.Tokens == 0 {
		return to, err
	}
	decision := o.LastResult()
	for i, e := range decision.Candidates {
		held := o.held(o.engine.replicas[e], q)
		if want := float64(held) / float64(q.Tokens); decision.Scores[i] != want {
			o.t.Fatalf("request %d at %v, endpoint %d: score %v, but it holds %d of %d tokens",
				q.ID, v.Now, e, decision.Scores[i], held, q.Tokens)
		}
		o.matched += held
	}
	return to, nil
}

// held is what a replica holds of the beginning of a prompt: the weights of its
// tokens, rounded down.
func (o *preciseOracle) held(r *plainReplica, q *policy.Request) int {
	sum := 0.0
	for _, identity := range q.Prompt.FullBlocks(nil, r.BlockTokens) {
		weight := 0.0
		for _, tier := range r.tiers {
			switch {
			case !tier.present(identity):
			case tier.Kind == simulator.CPUTier:
				weight = max(weight, 0.8)
			default:
				weight = 1
			}
		}
		if r.cache.Has(identity) && !slices.Contains(r.computing, identity) {
			weight = 1
		}
		if weight == 0 {
			break
		}
		for range r.BlockTokens {
			sum += weight
		}
	}
	return int(sum)
}

// TestTheOracleKnowsTheEngines holds the scorer that knows all caches against them.
func TestTheOracleKnowsTheEngines(t *testing.T) {
	for _, tiers := range []string{"all", "gpu"} {
		t.Run(tiers, func(t *testing.T) {
			for seed := range int64(100) {
				config := randomConfigWith(randomChoices(seed, 120, 500), randomTiers, randomHandoffs)
				o := newPrefixOracle(t, &config, tiers)
				o.engine = newPlain(config)
				o.engine.run()
				if t.Failed() {
					t.Fatalf("scenario %d", seed)
				}
			}
		})
	}
}

// prefixOracle is a native router that is checked at each decision.
type prefixOracle struct {
	*native.Router
	t        *testing.T
	tiers    bool
	engine   *plain
	decision *native.Explanation
}

func newPrefixOracle(t *testing.T, config *simulator.Config, tiers string) *prefixOracle {
	c, errs := native.Load(native.Spec{Policy: "weighted", Scorers: []native.Scorer{
		{Name: "oracle-prefix", Weight: 1, Parameters: map[string]string{"tiers": tiers}},
	}}, nil)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	o := &prefixOracle{t: t, Router: native.New(c, endpointsOf(config), 1), tiers: tiers == "all"}
	o.Explain(func(x *native.Explanation) { o.decision = x })
	config.Policies.Routing = o.Routing()
	config.Policies.Routing.Router = o
	return o
}

func endpointsOf(config *simulator.Config) int {
	endpoints := 0
	for i := range config.Pools {
		endpoints += config.Pools[i].Places()
	}
	return endpoints
}

func (o *prefixOracle) Route(v *policy.View, q *policy.Request) (policy.Route, error) {
	to, err := o.Router.Route(v, q)
	decision := o.decision
	for i, e := range decision.Candidates {
		r := o.engine.replicas[e]
		blocks := q.Prompt.FullBlocks(nil, r.BlockTokens)
		held := 0
		for held < len(blocks) && o.holds(r, blocks[held]) {
			held++
		}
		if want := float64(held) / float64(max(len(blocks), 1)); decision.Scores[i] != want {
			o.t.Fatalf("request %d at %v, endpoint %d: score %v, but it holds %d of %d blocks", q.ID, v.Now, e, decision.Scores[i], held, len(blocks))
		}
	}
	return to, err
}

func (o *prefixOracle) holds(r *plainReplica, identity uint64) bool {
	if r.cache.Has(identity) && !slices.Contains(r.computing, identity) {
		return true
	}
	return o.tiers && slices.ContainsFunc(r.tiers, func(t *plainTier) bool { return t.present(identity) })
}
