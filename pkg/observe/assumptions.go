// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"math"
	"time"

	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// Assumptions change what a scenario says, each by a factor. 1 changes nothing.
type Assumptions struct {
	// Rate is of the arrivals, Prompt and Output are of the lengths, Step is of the duration of a
	// step.
	Rate, Prompt, Output, Step float64
	// Unlike is the share of the prompts that become unlike any other, Alike that of those that
	// become like many others, so that fewer or more of their tokens are in caches.
	Unlike, Alike float64
}

// AsStated changes nothing.
func AsStated() Assumptions { return Assumptions{Rate: 1, Prompt: 1, Output: 1, Step: 1} }

// apply changes the input of a simulation.
func (a Assumptions) apply(c *simulator.Config, seed int64) {
	if a.Rate != 1 || a.Prompt != 1 || a.Output != 1 || a.Unlike > 0 || a.Alike > 0 {
		c.Source = &changedSource{Source: c.Source, Assumptions: a, draws: stats.NewStream(seed, "observe/hit share")}
	}
	if a.Step != 1 {
		for i := range c.Pools {
			p := &c.Pools[i]
			p.Timer = scaledTimer{p.Timer, a.Step}
			if p.LockStep != nil {
				p.LockStep = scaledGroup{p.LockStep, a.Step}
			}
		}
	}
}

// scaledTimer makes each step longer by a factor.
type scaledTimer struct {
	latency.StepTimer
	factor float64
}

// StepTime implements [latency.StepTimer].
func (t scaledTimer) StepTime(s latency.Step) time.Duration {
	return scaledStep(t.StepTimer.StepTime(s), t.factor)
}

// scaledGroup does so where the ranks of a replica step together.
type scaledGroup struct {
	simulator.GroupTimer
	factor float64
}

// GroupStepTime implements [simulator.GroupTimer].
func (t scaledGroup) GroupStepTime(ranks []latency.Step) time.Duration {
	return scaledStep(t.GroupTimer.GroupStepTime(ranks), t.factor)
}

func scaledStep(step time.Duration, factor float64) time.Duration {
	return max(1, time.Duration(math.Round(factor*float64(step))))
}

// changedSource is a source with other arrivals, lengths and prompts.
type changedSource struct {
	workload.Source
	Assumptions
	draws *stats.Stream
	// owed is what rounding has taken from the answers.
	owed float64
}

// Close implements [io.Closer].
func (s *changedSource) Close() error { return workload.Close(s.Source) }

// Next implements [workload.Source].
func (s *changedSource) Next() (workload.Request, bool) {
	r, ok := s.Source.Next()
	if !ok {
		return r, false
	}
	if s.Rate != 1 {
		r.Arrival = simtime.Time(math.Round(float64(r.Arrival) / s.Rate))
	}
	if s.Output != 1 {
		s.owed += s.Output * float64(r.OutputTokens)
		r.OutputTokens = max(1, int(s.owed))
		s.owed -= float64(r.OutputTokens)
	}
	if s.Prompt != 1 {
		before := end(r.Prompt)
		r.Prompt = stretched(r.Prompt, s.Prompt)
		if r.Response == before.Source && r.ResponseStart == before.Start {
			r.ResponseStart = end(r.Prompt).Start
		} else {
			r.ResponseStart = wholeBlocks(r.ResponseStart, s.Prompt)
		}
	}
	s.rewrite(&r)
	return r, true
}

// end is where a prompt ends in its last text.
func end(p prompt.Prompt) prompt.Extent {
	if len(p.Extents) == 0 {
		return prompt.Extent{}
	}
	last := p.Extents[len(p.Extents)-1]
	return prompt.Extent{Source: last.Source, Start: last.Start + last.Tokens}
}

// stretched makes a prompt longer by a factor. Its end is exact. What other prompts may share before it ends with whole blocks,
// or else caches would lose half a block of each text. Prompts with a common beginning still have one.
func stretched(p prompt.Prompt, factor float64) prompt.Prompt {
	var extents []prompt.Extent
	left := int32(stretch(int64(p.Tokens()), factor))
	for i, e := range p.Extents {
		start := wholeBlocks(e.Start, factor)
		tokens := min(wholeBlocks(e.Start+e.Tokens, factor)-start, left)
		if i == len(p.Extents)-1 {
			tokens = left
		}
		left -= tokens
		if tokens > 0 {
			extents = append(extents, prompt.Extent{Source: e.Source, Start: start, Tokens: tokens})
		}
	}
	if len(extents) == 0 {
		return p
	}
	return prompt.Prompt{Extents: extents}
}

// wholeBlocks stretches a place in a text to a multiple of 16 tokens, the default block of vLLM.
func wholeBlocks(tokens int32, factor float64) int32 {
	const block = 16
	return block * int32(stretch(int64(tokens), factor/block))
}

func stretch(tokens int64, factor float64) int {
	return int(math.Min(math.Round(factor*float64(tokens)), workload.MaxTokens))
}

// commonTexts is how many texts there are for prompts that become alike.
const commonTexts = 16

// rewrite makes a share of the prompts alike, or unlike all others, and keeps their lengths.
func (s *changedSource) rewrite(r *workload.Request) {
	if s.Unlike == 0 && s.Alike == 0 {
		return
	}
	u, tokens := s.draws.Float64(), r.Prompt.Tokens()
	text := stats.Hash64(stats.HashString("observe/text"), uint64(r.ID))
	switch {
	case u < s.Unlike:
	case u < s.Unlike+s.Alike:
		text = stats.Hash64(stats.HashString("observe/common text"), uint64(r.ID%commonTexts))
	default:
		return
	}
	r.Prompt = prompt.Prompt{Extents: []prompt.Extent{{Source: text, Tokens: int32(tokens)}}}
}

// lastArrival notes when a source ends.
type lastArrival struct {
	workload.Source
	at    simtime.Time
	ended bool
}

// watchLast returns what notes it.
func watchLast(c *simulator.Config) *lastArrival {
	l := &lastArrival{Source: c.Source}
	c.Source = l
	return l
}

// Close implements [io.Closer].
func (l *lastArrival) Close() error { return workload.Close(l.Source) }

// Next implements [workload.Source].
func (l *lastArrival) Next() (workload.Request, bool) {
	r, ok := l.Source.Next()
	if ok {
		l.at = r.Arrival
	}
	l.ended = l.ended || !ok
	return r, ok
}
