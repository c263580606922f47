// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"

	"windtunnel.dev/windtunnel/pkg/kv/stability"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
	"windtunnel.dev/windtunnel/studies/study"
)

// lengths is the size of a request in tokens.
type lengths struct{ prompt, output int }

// load is a kind of requests, which arrive as a Poisson process at any rate.
type load struct {
	name string
	rows []lengths
	// trace has the texts of the rows too, which begin alike; nil where each
	// request has a text of its own.
	trace *trace.Trace
	// groups is how many clients with a prefix of their own send the requests;
	// 0 is none. There are no rows then.
	groups int
}

// tokenIterations is E[g] of the law.
func (l *load) tokenIterations() float64 {
	sum := 0.0
	for _, r := range l.rows {
		sum += stability.ApproximateTokenIterations(r.prompt, r.output)
	}
	return sum / float64(len(l.rows))
}

// served is μ of the law for steps of a length.
func (l *load) served(stepSeconds float64) float64 {
	return stability.ServedPerSecond(kvTokens, stepSeconds, l.tokenIterations())
}

// source gives requests at a rate: the rows of the trace in their order, or
// rows at random with texts of their own.
func (l *load) source(perSecond float64, seed int64) workload.Source {
	if l.groups > 0 {
		return workload.NewClients(l.clients(perSecond), seed)
	}
	a := &poisson{perSecond: perSecond, gaps: stats.NewStream(seed, "arrivals")}
	if l.trace != nil {
		a.texts = l.trace.Replay(trace.Replay{RateScale: 1, Arrivals: trace.AsRecorded}, seed)
		return a
	}
	a.texts = &drawn{rows: l.rows, stream: stats.NewStream(seed, "lengths")}
	return a
}

// poisson gives the requests of another source at times of its own.
type poisson struct {
	texts     workload.Source
	perSecond float64
	gaps      *stats.Stream
	seconds   float64
}

// Labels implements [workload.Source].
func (p *poisson) Labels() workload.Labels { return p.texts.Labels() }

// Next implements [workload.Source].
func (p *poisson) Next() (workload.Request, bool) {
	r, ok := p.texts.Next()
	p.seconds += p.gaps.Exponential() / p.perSecond
	r.Arrival = simtime.Time(p.seconds * 1e9)
	return r, ok
}

// drawn gives requests without end, each of the lengths of some row.
type drawn struct {
	rows   []lengths
	stream *stats.Stream
	sent   int
}

// Labels implements [workload.Source].
func (*drawn) Labels() workload.Labels { return workload.Labels{} }

// Next implements [workload.Source].
func (d *drawn) Next() (workload.Request, bool) {
	l := d.rows[d.stream.IntN(len(d.rows))]
	r := workload.Request{
		ID: d.sent, OutputTokens: l.output, Response: uint64(2*d.sent + 1),
		Prompt: prompt.Prompt{Extents: []prompt.Extent{{Source: uint64(2 * d.sent), Tokens: int32(l.prompt)}}},
	}
	d.sent++
	return r, true
}

// constant is requests of one size.
func constant(prompt, output int) *load {
	return &load{name: fmt.Sprintf("constant %d + %d", prompt, output), rows: []lengths{{prompt, output}}}
}

// sharedPrefixes is requests that begin with one of some prefixes of 1024 tokens.
func sharedPrefixes(groups int) *load {
	return &load{name: fmt.Sprintf("%d prefixes of 1024, 256 + 128", groups), groups: groups}
}

func (l *load) clients(perSecond float64) []workload.Client {
	var all []workload.Client
	for i := range l.groups {
		all = append(all, workload.Client{
			Name:         fmt.Sprint("client-", i),
			Arrivals:     workload.Arrivals{Process: workload.Poisson, RatePerSecond: perSecond / float64(l.groups)},
			Input:        workload.Lengths{Distribution: stats.Normal{Mean: 256, StdDev: 100}, Min: 32, Max: 1024},
			Output:       workload.Lengths{Distribution: stats.Normal{Mean: 128, StdDev: 50}, Min: 16, Max: 512},
			PrefixGroup:  fmt.Sprint("group-", i),
			PrefixTokens: 1024,
		})
	}
	return all
}

// fromTrace reads the lengths of a trace.
func fromTrace(name string, format trace.Format, path string) (*load, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	recorded, err := trace.Read(format, file, path)
	if err != nil {
		return nil, err
	}
	l := &load{name: name, trace: recorded}
	source := recorded.Replay(trace.Replay{RateScale: 1, Arrivals: trace.AsRecorded}, 1)
	for {
		r, ok := source.Next()
		if !ok {
			return l, nil
		}
		l.rows = append(l.rows, lengths{r.Prompt.Tokens(), r.OutputTokens})
	}
}

// lengthsOnly is the load with texts that share nothing.
func (l *load) lengthsOnly(name string) *load { return &load{name: name, rows: l.rows} }

// traces are the open ones, as they are.
type traces struct{ azure, mooncake *load }

func readTraces() (traces, error) {
	var t traces
	for _, f := range []struct {
		to     **load
		name   string
		format trace.Format
		path   []string
	}{
		{&t.azure, "Azure code", trace.Azure, []string{"traces", "azure-2023", "AzureLLMInferenceTrace_code.csv"}},
		{&t.mooncake, "Mooncake conversation", trace.Mooncake, []string{"traces", "mooncake-fast25", "conversation_trace.jsonl"}},
	} {
		path, err := study.DataFile(f.path...)
		if err != nil {
			return t, err
		}
		if *f.to, err = fromTrace(f.name, f.format, path); err != nil {
			return t, fmt.Errorf("read %s: %w", f.name, err)
		}
	}
	return t, nil
}
