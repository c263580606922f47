// SPDX-License-Identifier: Apache-2.0

package dynamo

import "math"

// samples is how many steps a mean counts.
const samples = 64

// mean is that of the last samples, from the first that is not 0.
type mean struct {
	values []float64
	sum    float64
}

func (m *mean) add(value float64) {
	if value <= 0 && len(m.values) == 0 {
		return
	}
	m.values, m.sum = append(m.values, value), m.sum+value
	if len(m.values) > samples {
		m.sum -= m.values[0]
		m.values = m.values[1:]
	}
}

func (m *mean) value() float64 {
	if len(m.values) == 0 {
		return 0
	}
	return m.sum / float64(len(m.values))
}

// model foresees latencies and finds the capacity of the engines of a role.
type model struct {
	Limits
	forward Forward
	// computes and generates say what engines do.
	computes, generates bool
	// prompt and held are the means of a request, prefills and tokens those of the prompts in a step.
	prompt, held, prefills, tokens mean
}

// observe takes in what engines computed.
func (m *model) observe(engines []Engine) {
	for i := range engines {
		s := &engines[i].Scheduled
		m.prompt.add(float64(s.PrefillTokens) / float64(max(1, s.Prefills)))
		if s.Decodes > 0 {
			m.held.add(float64(s.DecodeTokens) / float64(s.Decodes))
		}
		m.prefills.add(float64(s.Prefills))
		m.tokens.add(float64(s.PrefillTokens))
	}
}

// seconds is how long a step takes.
func (m *model) seconds(w Work) float64 { return max(0, m.forward.Milliseconds(w)) / 1000 }

// prompts is how many seconds prompt tokens take in steps that also compute w.
func (m *model) prompts(tokens int, w Work) float64 {
	total := 0.0
	if full := tokens / m.BatchedTokens; full > 0 {
		w.PrefillTokens = m.BatchedTokens
		total += float64(m.seconds(w) * float64(full))
	}
	if rest := tokens % m.BatchedTokens; rest > 0 {
		w.PrefillTokens = rest
		total += m.seconds(w)
	}
	return total
}

// firstToken is how many seconds the next request waits for its first token, of which those that wait
// count scale times. With a decode scale, those that decode and that wait to count as often; with 0,
// those that decode count once.
func (m *model) firstToken(e *Engine, hits, scale, decodeScale float64) float64 {
	tokens := float64(float64(e.Queued.PrefillTokens) * scale)
	if next := m.prompt.value(); next > 0 {
		tokens += next
	}
	tokens *= 1 - discount(hits)
	var w Work
	if m.generates {
		w.Decodes, w.DecodeTokens = e.Scheduled.Decodes, e.Scheduled.DecodeTokens
		if decodeScale > 0 {
			w.Decodes, w.DecodeTokens = scaled(w.Decodes+e.Queued.Decodes, decodeScale), scaled(w.DecodeTokens+e.Queued.DecodeTokens, decodeScale)
		}
	}
	return m.prompts(int(math.Ceil(tokens)), w)
}

// nextToken is how many seconds a step takes with the next request. What runs and waits counts scale
// times, prompts that wait with prompts only.
func (m *model) nextToken(e *Engine, scale float64, prompts bool) float64 {
	requests, tokens := float64(e.Scheduled.Decodes+e.Queued.Decodes), float64(e.Scheduled.DecodeTokens+e.Queued.DecodeTokens)
	if prompts {
		requests, tokens = requests+float64(e.Queued.Prefills), tokens+float64(e.Queued.PrefillTokens)
	}
	requests, tokens = float64(requests*scale), float64(tokens*scale)
	if next := m.held.value(); next > 0 {
		requests, tokens = requests+1, tokens+next
	}
	w := Work{Decodes: int(math.Ceil(requests)), DecodeTokens: int(math.Ceil(tokens))}
	if m.computes {
		w.Prefills, w.PrefillTokens = int(math.Ceil(m.prefills.value())), int(math.Ceil(m.tokens.value()))
	}
	return m.seconds(w)
}

func scaled(n int, by float64) int { return int(math.Ceil(float64(float64(n) * by))) }

// discount is the share of prompts that caches are trusted to have.
func discount(hits float64) float64 { return min(0.95, max(0, hits)) }
