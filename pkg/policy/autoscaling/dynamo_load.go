// SPDX-License-Identifier: Apache-2.0

package autoscaling

import (
	"math"

	"windtunnel.dev/windtunnel/pkg/latency"
)

// A loadRule says whether a pool of the planner of Dynamo needs one replica more, 1, or one
// fewer, -1.
type loadRule interface {
	change(at *place, s *Sample, m *EngineModel, l lengths) (change int, why string)
}

// engineLoad is what one engine has to do: requests that run and that wait, and the tokens
// that those which run hold.
type engineLoad struct{ running, waiting, held int }

// loads lists the loads of the replicas that were scraped.
func (at *place) loads(s *Sample, m *EngineModel) []engineLoad {
	var all []engineLoad
	for i := range at.pool.Replicas {
		if e := s.Of(&at.pool.Replicas[i]); e != nil {
			all = append(all, engineLoad{e.Running, e.Waiting, int(e.KVUsage * float64(m.KVTokens))})
		}
	}
	return all
}

// computes and generates say what a pool does.
func (at *place) computes() bool  { return at.k == 0 }
func (at *place) generates() bool { return at.k == len(at.Pools)-1 }

// thresholds is a loadRule by thresholds of the load, which no replica may reach for one to
// be taken away, and one has to for another to be added.
type thresholds struct {
	// Of prompts that wait, as a share of the longest context, in a pool that only computes
	// prompts; of tokens that are held or wait, as a share of the KV cache, in others.
	queueUp, queueDown, heldUp, heldDown float64
}

// thresholdLoad are the rules by what the planner optimizes.
var thresholdLoad = map[string]thresholds{
	"throughput": {1, 0.1, 1, 0.6},
	"latency":    {0.1, 0, 0.4, 0.1},
}

func (t thresholds) change(at *place, s *Sample, m *EngineModel, l lengths) (change int, why string) {
	most, prompt := 0.0, l.fresh+l.cached
	if !at.generates() {
		for _, e := range at.loads(s, m) {
			most = max(most, float64(e.waiting*prompt)/float64(m.ContextTokens))
		}
		at.note("prompts that wait ÷ context", most)
		why = reasonf("prompts of at most %.3g contexts wait in a replica", most)
		return step(most >= t.queueUp, most < t.queueDown || most == 0), why
	}
	for _, e := range at.loads(s, m) {
		most = max(most, float64(e.held+e.waiting*prompt)/float64(m.KVTokens))
	}
	at.note("tokens held and waiting ÷ KV cache", most)
	why = reasonf("tokens of at most %.3g KV caches are held or wait in a replica", most)
	return step(most > t.heldUp, most < t.heldDown), why
}

// step is 1 for more, -1 for fewer.
func step(more, fewer bool) int {
	switch {
	case more:
		return 1
	case fewer:
		return -1
	}
	return 0
}

// latencyLoad is a loadRule by the latencies that the model foresees for the next request: a
// replica is added where those of all replicas are late, and taken away where those with one
// replica fewer are early enough.
type latencyLoad struct{ ttft, itl, spare float64 }

func (x latencyLoad) change(at *place, s *Sample, m *EngineModel, l lengths) (change int, why string) {
	loads := at.loads(s, m)
	if len(loads) == 0 {
		return 0, "no replica is up"
	}
	late, early := false, true
	if at.computes() {
		ttft, spares := x.firstTokens(loads, m, l, at.generates())
		at.note("least TTFT foreseen (s)", ttft)
		late, early, why = ttft > x.ttft, spares, reasonf("the next prompt takes at least %.3g s", ttft)
	}
	if at.generates() {
		itl, spares := x.nextTokens(loads, m, l, at.computes())
		at.note("least ITL foreseen (s)", itl)
		if why != "" {
			why += " and "
		}
		late, early, why = late || itl > x.itl, early && spares, why+reasonf("the next token at least %.3g s", itl)
	}
	return step(late, early), why
}

// fewer is the load of an engine after one of n replicas is gone.
func (e engineLoad) fewer(replicas int) engineLoad {
	grown := func(n int) int { return n * replicas / max(1, replicas-1) }
	return engineLoad{grown(e.running), grown(e.waiting), grown(e.held)}
}

// firstTokens returns the least time to first token of the next request that is foreseen,
// and whether one replica fewer leaves it early enough: what a prompt takes by itself is not
// counted, as it takes that with any number of replicas.
func (x latencyLoad) firstTokens(loads []engineLoad, m *EngineModel, l lengths, generates bool) (least float64, spares bool) {
	after := func(e engineLoad, waiting int) float64 {
		decodes := latency.Step{}
		if generates {
			decodes = m.decodeStep(e.running, e.held)
		}
		return m.prompts((waiting+1)*l.fresh, l, decodes)
	}
	least, spares = math.Inf(1), true
	for _, e := range loads {
		least = min(least, after(e, e.waiting))
		e = e.fewer(len(loads))
		own := after(e, 0)
		spares = spares && after(e, e.waiting)-own < float64((x.ttft-own)*x.spare)
	}
	return least, spares
}

// nextTokens is firstTokens for the time between tokens, together with the prompts that begin as
// answers end.
func (x latencyLoad) nextTokens(loads []engineLoad, m *EngineModel, l lengths, computes bool) (least float64, spares bool) {
	step := func(requests, held int) float64 {
		s := m.decodeStep(requests, held)
		if computes {
			s = withPrompts(s, m.begins(requests, l), l)
		}
		return m.seconds(s) / m.tokensPerStep()
	}
	least, spares = math.Inf(1), true
	for _, e := range loads {
		waiting := e.waiting * (l.fresh + l.cached)
		least = min(least, step(e.running+1, e.held+waiting+l.context()))
		fewer := engineLoad{e.running + e.waiting, 0, e.held + waiting}.fewer(len(loads))
		spares = spares && fewer.held < m.KVTokens && step(fewer.running, fewer.held) < float64(x.itl*x.spare)
	}
	return least, spares
}
