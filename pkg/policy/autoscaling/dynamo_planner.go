// SPDX-License-Identifier: Apache-2.0

package autoscaling

import (
	"fmt"
	"slices"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/dynamo"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// dynamoPlanner is the planner of NVIDIA Dynamo, as [dynamo] has it. While a replica is not ready, the
// planner only observes: its connector to Kubernetes ignores decisions then (connectors/kubernetes.py),
// so that replicas for which there are no machines keep the others from being removed.
//
// The planner fits a model of an engine to measured steps; here it is that of the simulated engine, without
// error. Engines tell it what they compute and what waits in tokens; here the tokens that wait are the
// waiting requests times the mean prompt, and the prompts in a step those of as many requests as end in it.
type dynamoPlanner struct {
	config   dynamo.Config
	planner  *dynamo.Planner
	interval time.Duration
	advisory bool
	models   []EngineModel // by pool
	names    []string
	// due is when the throughput loop runs next.
	due simtime.Time
	// recent is the last traffic whose lengths are known, and lengths are those.
	recent  traffic
	lengths lengths
	known   bool
}

func (d *dynamoPlanner) Scale(view *View, wanted []int) Reason {
	stays := "stays at " + listed(wanted)
	t, known, ok := observeTraffic(view, d.interval)
	if !ok {
		return Reason(fmt.Sprintf("%s: no signal: fewer than two samples in %s", stays, d.interval))
	}
	if known {
		d.recent, d.known, d.lengths = t, true, t.lengths()
	}
	observed := d.traffic(view.Now, t, known)
	if !d.known {
		return Reason(stays + ": no signal: the lengths of requests are not known, as none has ended")
	}
	found := d.planner.Decide(d.observe(view), observed)
	d.note(view, &found)
	why := d.why(&found)
	if k := notReady(view); k >= 0 {
		p := &view.Pools[k]
		return Reason(fmt.Sprintf("%s: %d of %d replicas of %s are ready, and until all are, no decision is applied: %s", stays, p.Ready(), p.Wanted, d.names[k], why))
	}
	return d.settle(view, wanted, &found, why)
}

// traffic is what the planner observes: that of an interval where one of the throughput loop ends, and always
// without this loop; else nil.
func (d *dynamoPlanner) traffic(now simtime.Time, t traffic, known bool) *dynamo.Traffic {
	switch {
	case d.config.Target != dynamo.SLA || d.config.Throughput && now < d.due:
		return nil
	case d.config.Throughput:
		d.due = now.Add(d.interval)
	}
	observed := &dynamo.Traffic{Seconds: d.interval.Seconds(), Requests: float64(t.perSecond * d.interval.Seconds()), HitRate: d.recent.hits, Accepted: d.models[len(d.models)-1].tokensPerStep()}
	if known {
		observed.Input, observed.Output = t.prompt, t.answer
	}
	return observed
}

// observe is what the engines say, by pool.
func (d *dynamoPlanner) observe(view *View) []dynamo.Pool {
	s := view.Monitor.Latest(view.Now)
	pools := make([]dynamo.Pool, len(view.Pools))
	for k := range view.Pools {
		p := &view.Pools[k]
		pools[k] = dynamo.Pool{Ready: p.Ready(), Expected: p.Wanted}
		for i := range p.Replicas {
			if e := s.Of(&p.Replicas[i]); e != nil {
				pools[k].Engines = append(pools[k].Engines, d.engine(k, p.Replicas[i].Endpoint, e))
			}
		}
	}
	return pools
}

// engine is what an engine of a pool says.
func (d *dynamoPlanner) engine(k, worker int, e *Engine) dynamo.Engine {
	m, l, says := &d.models[k], d.lengths, dynamo.Engine{Worker: worker}
	waits := e.Waiting * (l.fresh + l.cached)
	computes, generates := k == 0, k == len(d.models)-1
	if generates {
		says.Scheduled.Decodes, says.Scheduled.DecodeTokens = e.Running, int(e.KVUsage*float64(m.KVTokens))
	}
	if !computes {
		says.Queued = dynamo.Work{Decodes: e.Waiting, DecodeTokens: waits}
		return says
	}
	says.Queued = dynamo.Work{Prefills: e.Waiting, PrefillTokens: waits}
	if e.Running > 0 {
		says.Scheduled.Prefills, says.Scheduled.PrefillTokens = 1, l.fresh
		if generates {
			says.Scheduled.PrefillTokens = m.begins(e.Running, l)
		}
	}
	return says
}

// stepModel is the model of an engine: that of the simulated one, for requests of the lengths that are known.
type stepModel struct {
	*EngineModel
	lengths *lengths
}

func (m stepModel) Milliseconds(w dynamo.Work) float64 {
	step := m.decodeStep(w.Decodes, w.DecodeTokens)
	if w.PrefillTokens > 0 {
		step = withPrompts(step, w.PrefillTokens, *m.lengths)
	}
	return m.seconds(step) * 1000
}

// notReady is the first pool of which some replica that is wanted is not ready; -1 where all are.
func notReady(view *View) int {
	return slices.IndexFunc(view.Pools, func(p Pool) bool { return p.Ready() < p.Wanted })
}

// note notes what a decision rests on.
func (d *dynamoPlanner) note(view *View, found *dynamo.Decision) {
	if f := &found.Forecast; f.Seconds > 0 {
		view.Note("forecast rate", f.Requests/f.Seconds)
		view.Note("forecast prompt tokens", f.Input)
		view.Note("forecast answer tokens", f.Output)
		view.Note("forecast hit rate", f.HitRate)
	}
	if found.Verdict != dynamo.Decided {
		return
	}
	if d.config.Target == dynamo.SLA {
		view.Note("greatest TTFT foreseen (ms)", found.TTFT)
		view.Note("greatest ITL foreseen (ms)", found.ITL)
		return
	}
	for k, load := range found.Load {
		at := place{View: view, k: k, prefix: d.names[k] + " "}
		at.note(d.loadName(k), load)
	}
}

// loadName is what the load of a pool is.
func (d *dynamoPlanner) loadName(k int) string {
	switch {
	case k == len(d.models)-1:
		return "tokens held and waiting ÷ KV cache"
	case d.config.Target == dynamo.Load:
		return "prompt tokens that wait"
	default:
		return "prompts that wait ÷ context"
	}
}

// why says what a decision rests on.
func (d *dynamoPlanner) why(found *dynamo.Decision) string {
	forecasts := found.Forecast.Seconds > 0
	switch {
	case found.Verdict == dynamo.InProgress && !forecasts:
		return "loads are not compared"
	case found.Verdict == dynamo.Mismatch:
		return "the engines of the last scrape are not those of the replicas that are ready"
	case found.Verdict == dynamo.Unmeasured:
		return "no engine was scraped"
	case found.Verdict == dynamo.Decided && d.config.Target != dynamo.SLA:
		why := ""
		for k, load := range found.Load {
			why += fmt.Sprintf("%s: %s of at most %.4g; ", d.names[k], d.loadName(k), load)
		}
		return why[:len(why)-len("; ")]
	case found.Verdict == dynamo.Decided:
		why := ""
		if d.config.Throughput {
			why = "; at least " + listed(found.Least)
		}
		return fmt.Sprintf("the next request waits at most %.4g ms for its first token and %.4g ms between tokens%s", found.TTFT, found.ITL, why)
	case !forecasts:
		return fmt.Sprintf("the next forecast is at %s", d.due)
	}
	f := &found.Forecast
	why := fmt.Sprintf("%.4g requests/s of %.0f prompt and %.0f answer tokens are forecast, with a hit rate of %.2g", f.Requests/f.Seconds, f.Input, f.Output, f.HitRate)
	for k, perSecond := range found.PerSecond {
		why += fmt.Sprintf("; a replica of %s serves %.4g requests/s", d.names[k], perSecond)
	}
	return why
}

// settle takes what the planner wants on as far as the bounds allow. With advisory, it only says so.
func (d *dynamoPlanner) settle(view *View, wanted []int, found *dynamo.Decision, why string) Reason {
	was := listed(wanted)
	if d.advisory {
		return Reason(fmt.Sprintf("stays at %s: advisory, and would have %s: %s", was, listed(found.Targets), why))
	}
	for k := range view.Pools {
		wanted[k] = view.Pools[k].bounded(found.Targets[k])
	}
	if now := listed(wanted); now != was {
		return Reason(fmt.Sprintf("from %s to %s: %s", was, now, why))
	}
	return Reason(fmt.Sprintf("stays at %s: %s", was, why))
}

// limits are those of the engines of a pool.
func (m *EngineModel) limits() dynamo.Limits {
	return dynamo.Limits{
		GPUs: m.Accelerators, BatchedTokens: m.MaxNumBatchedTokens, Sequences: m.MaxNumSeqs,
		ContextTokens: m.ContextTokens, KVTokens: m.KVTokens, Drafts: m.Drafts,
	}
}
