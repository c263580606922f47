// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/workload"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// UnsharedPrompts names the finding on a trace that does not tell which prompts share a
// beginning. It comes first.
const UnsharedPrompts = "unshared-prompts"

// Trace inspects a trace, or one draw of a trace without rows. It goes through the trace
// twice, or three times if requests wait for others, and takes memory for its distinct blocks, lengths and
// sessions, but not for its rows. An error is one of reading the trace's file again.
func Trace(t *trace.Trace) (*Inspection, error) {
	s, err := t.Statistics()
	if err != nil {
		return nil, err
	}
	if s.Waiting > 0 {
		if err := place(t, &s); err != nil {
			return nil, err
		}
	}
	i := newInspector(s, t.BlockTokens())
	if i.labels, err = answeredAtOnce(t, i.add); err != nil {
		return nil, err
	}
	in := i.inspection(t.Digest())
	if message := t.UnsharedPrompts(); message != "" {
		in.Findings = append([]Finding{{UnsharedPrompts, message}}, in.Findings...)
	}
	return in, nil
}

// answeredAtOnce tells of the requests of a trace, each of which is answered at once.
func answeredAtOnce(t *trace.Trace, tell func(*workload.Request)) (workload.Labels, error) {
	source := workload.AnsweredAtOnce(t.Replay(trace.Replay{RateScale: 1, Arrivals: trace.AsRecorded}, 1))
	labels := source.Labels()
	for {
		r, ok := source.Next()
		if !ok {
			return labels, workload.Close(source)
		}
		tell(&r)
	}
}

// place counts the times of requests that wait for others where they come if answers take none.
func place(t *trace.Trace, s *trace.Statistics) error {
	var last simtime.Time
	s.DistinctTimestamps = 0
	_, err := answeredAtOnce(t, func(r *workload.Request) {
		if s.DistinctTimestamps == 0 || r.Arrival != last {
			s.DistinctTimestamps++
		}
		last = r.Arrival
	})
	if s.Span = time.Duration(last); s.Span > 0 {
		s.RatePerSecond = float64(s.Requests) / s.Span.Seconds()
	}
	return err
}

// inspector gathers what requests show, one after the other.
type inspector struct {
	statistics trace.Statistics
	labels     workload.Labels

	rates         rates
	reuse         *reuse // nil without blocks
	sessions      sessions
	input, output lengths
	both          correlation
	repeats       repeats

	tenants, classes, models, adapters counts
}

func newInspector(s trace.Statistics, blockTokens int) *inspector {
	i := &inspector{
		statistics: s, rates: newRates(s.Span, s.Requests), sessions: sessions{}, input: lengths{}, output: lengths{},
		tenants: counts{}, classes: counts{}, models: counts{}, adapters: counts{},
	}
	if blockTokens > 0 && s.DistinctBlocks > 0 {
		i.reuse = newReuse(blockTokens, s.DistinctBlocks)
	}
	return i
}

// add notes a request.
func (i *inspector) add(r *workload.Request) {
	input := r.Prompt.Tokens()
	i.rates.add(r.Arrival, input, r.OutputTokens)
	if i.reuse != nil {
		i.reuse.add(r.Prompt)
	}
	i.sessions.add(r.Session, r.Arrival)
	i.input[int32(input)]++
	i.output[int32(r.OutputTokens)]++
	i.both.add(float64(input), float64(r.OutputTokens))
	i.repeats.add(r.Arrival, input, r.OutputTokens)
	i.tenants[r.Tenant]++
	i.classes[r.Class]++
	i.models[r.Model-1]++
	i.adapters[r.Adapter-1]++
}

// inspection returns what was gathered.
func (i *inspector) inspection(digest string) *Inspection {
	s := i.statistics
	in := &Inspection{
		SHA256: digest, Requests: s.Requests,
		SkippedRequests: s.Skipped, ClippedRequests: s.Clipped,
		SkippedZeroOutputRequests: s.SkippedZeroOutput, PrefillOnlyRequests: s.PrefillOnly,
		WaitingRequests: s.Waiting, MeanDelaySeconds: s.MeanDelay.Seconds(),
		SpanSeconds: s.Span.Seconds(), DistinctTimestamps: s.DistinctTimestamps,
		InputTokens: i.input.describe(s.Input), OutputTokens: i.output.describe(s.Output), LengthCorrelation: i.both.pearson(),
		Rates: i.rates.describe(s.RatePerSecond), Sessions: i.sessions.describe(s.Requests),
		Tenants: i.tenants.shares(i.labels.Tenants, s.Requests), Classes: i.classes.shares(i.labels.Classes, s.Requests),
		Models: i.models.shares(i.labels.Models, s.Requests), Adapters: i.adapters.shares(i.labels.Adapters, s.Requests),
	}
	if i.reuse != nil {
		in.Reuse = i.reuse.describe(s)
	}
	in.Findings = i.findings(in)
	return in
}
