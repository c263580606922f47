// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// buildLatencyModels are the models of all endpoints that the EPP's predictions are
// made with.
func buildLatencyModels(in []v1alpha1.Pool, pools []simulator.Pool) []config.LatencyModel {
	var models []config.LatencyModel
	for i := range in {
		model := stepLatency{&pools[i]}
		for range pools[i].Places() {
			models = append(models, model)
		}
	}
	return models
}

// sampledAnswers is how many answers a predictor has seen whose mean it knows.
const sampledAnswers = 1000

// meanAnswer is the mean length of the first answers to the requests of a part, in tokens;
// 0 without answers.
func meanAnswer(p *Part, traces trace.Set, seed int64) float64 {
	source, errs := buildSource(&p.Scenario.Workload, p.served, traces, seed, field.NewPath("workload"))
	if len(errs) > 0 || source == nil {
		return 0
	}
	defer func() { _ = workload.Close(source) }() // an error comes back from the simulation
	models := source.Labels().Models
	answered := workload.AnsweredAtOnce(source)
	answers, tokens := 0, 0
	for answers < sampledAnswers {
		request, ok := answered.Next()
		if !ok {
			break
		}
		if request.Model > 0 && models[request.Model-1] != p.Model {
			continue
		}
		answers++
		tokens += request.OutputTokens
	}
	return float64(tokens) / float64(max(1, answers))
}

// stepLatency foresees latencies from a pool's step times: a prompt is computed
// in full steps after those that were routed there before it, which are taken to
// be as long, together with requests that decode. It does not know how long answers get,
// and so not when a seat or memory gets free.
type stepLatency struct{ pool *simulator.Pool }

// FirstToken implements [epp.LatencyModel].
func (m stepLatency) FirstToken(f config.LatencyFeatures) time.Duration {
	decodes := m.decodeStep(min(f.InFlight-f.Waiting, m.pool.MaxNumSeqs-1), f.KVUsage).Verifying(m.pool.Speculation.Drafts())
	room := m.prefillRoom(decodes)
	before, rest := int(f.QueuedTokens)/room, int(f.QueuedTokens)%room
	total := scaleDuration(before, m.stepTime(addPrompts(decodes, room, f.PromptTokens)))

	// What is left of the others shares the first step with the prompt.
	own := max(1, f.PromptTokens-f.CachedTokens)
	chunk := room
	if m.pool.LongPrefillTokens > 0 {
		chunk = min(chunk, m.pool.LongPrefillTokens)
	}
	full := (rest + own - 1) / chunk
	last, held := rest+own-full*chunk, f.PromptTokens-own
	inside := addChunk(decodes, chunk, held+max(0, (full-1)*chunk-rest)/2, f.PromptTokens)
	inside.SampledTokens--
	total += scaleDuration(full, m.stepTime(inside))
	total += m.stepTime(addChunk(decodes, last, max(0, f.PromptTokens-last), f.PromptTokens))
	total += m.runningStep(decodes, f)
	cost := &m.pool.Cost
	return total + cost.QueueBase + scaleDuration(f.PromptTokens, cost.QueuePerInputToken) + cost.PerOutputToken
}

// runningStep corrects for the step that runs when a request comes, of which on
// average half is over: the others' tokens in it count as queued, and decodes do
// not. Where that step has all that is queued, an engine that schedules asynchronously
// computes one of decodes alone before the request's.
func (m stepLatency) runningStep(decodes latency.Step, f config.LatencyFeatures) time.Duration {
	half := m.halfOfRunningStep(decodes, f)
	if m.pool.AsynchronousScheduling && f.QueuedTokens <= int64(m.prefillRoom(decodes)) {
		return half + m.stepTime(decodes)
	}
	return half
}

func (m stepLatency) halfOfRunningStep(decodes latency.Step, f config.LatencyFeatures) time.Duration {
	if f.QueuedTokens == 0 {
		return m.stepTime(decodes) / 2
	}
	return -m.stepTime(addPrompts(decodes, min(int(f.QueuedTokens), m.prefillRoom(decodes)), f.PromptTokens)) / 2
}

// prefillRoom is how many prompt tokens fit into a step.
func (m stepLatency) prefillRoom(decodes latency.Step) int {
	return max(1, m.pool.MaxNumBatchedTokens-decodes.DecodeTokens)
}

// NextToken implements [epp.LatencyModel]. Prompts are computed together with the
// answers at the rate at which they are routed there: where that takes a share u
// of the time, a step takes 1/(1 − u) times as long as without. It does not take
// longer than a full one, and as long where more waits than fits into one. A step gives
// as many tokens as drafts are accepted on average, and one.
func (m stepLatency) NextToken(f config.LatencyFeatures) time.Duration {
	step := m.decodeStep(min(f.InFlight, m.pool.MaxNumSeqs-1), f.KVUsage)
	// The request itself.
	step.Sequences++
	step.DecodeTokens++
	step.SampledTokens++
	step.DecodePairs += int64(f.PromptTokens) + 1
	step.AttentionPairs += int64(f.PromptTokens) + 1
	step.ContextTokens += int64(f.PromptTokens) + 1
	step = step.Verifying(m.pool.Speculation.Drafts())
	next := m.stepTime(step)
	if f.TokensPerSecond > 0 {
		room := m.prefillRoom(step)
		longest := m.stepTime(addPrompts(step, room, f.PromptTokens))
		share := f.TokensPerSecond * (longest - next).Seconds() / float64(room)
		if free := float64(next) / float64(longest); 1-share > free && f.QueuedTokens <= int64(room) {
			next = time.Duration(float64(next) / (1 - share))
		} else {
			next = longest
		}
	}
	return time.Duration(float64(next)/m.pool.Speculation.TokensPerStep()) + m.pool.Cost.PerOutputToken
}

// decodeStep is a step in which n requests decode that hold a share of the KV
// cache, without their drafts.
func (m stepLatency) decodeStep(n int, kvUsage float64) latency.Step {
	if n <= 0 {
		return latency.Step{}
	}
	held := int64(kvUsage*float64(m.pool.KVBlocks)) * int64(m.pool.BlockTokens)
	pairs := held + int64(n)
	return latency.Step{
		Sequences: n, DecodeTokens: n, SampledTokens: n,
		AttentionPairs: pairs, DecodePairs: pairs, ContextTokens: pairs,
	}
}

// addPrompts adds tokens of whole prompts to a step.
func addPrompts(step latency.Step, tokens, prompt int) latency.Step {
	for prompt = max(1, prompt); tokens > 0; tokens -= prompt {
		step = addChunk(step, min(tokens, prompt), 0, prompt)
	}
	return step
}

// addChunk adds the last chunk of a prompt to a step, after a number of its
// tokens.
func addChunk(step latency.Step, tokens, after, prompt int) latency.Step {
	t, h := int64(tokens), int64(after)
	step.Sequences++
	step.PrefillTokens += tokens
	step.AttentionPairs += t*h + t*(t+1)/2
	step.ContextTokens += h + t
	step.SampledTokens++
	step.DoublePromptPairs += t * (2*int64(prompt) + t)
	return step
}

// stepTime is 0 for a step without work.
func (m stepLatency) stepTime(step latency.Step) time.Duration {
	if step.Sequences == 0 {
		return 0
	}
	return m.pool.Timer.StepTime(step)
}

// maxForecast is where forecasts end: a queue may be absurdly long.
const maxForecast = 1000 * time.Hour

func scaleDuration(n int, each time.Duration) time.Duration {
	if each > 0 && time.Duration(n) > maxForecast/each {
		return maxForecast
	}
	return time.Duration(n) * each
}
