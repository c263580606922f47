// SPDX-License-Identifier: Apache-2.0

package benchmark

import "windtunnel.dev/windtunnel/api/v1alpha1"

// load describes the traffic: in the words that all tools share as it was measured, and in
// Windtunnel's own as it was stated.
func (in *Input) load() *Load {
	w := &in.Scenario.Workload
	input := lengths(&in.Requests.input)
	l := &Load{
		Metadata: LoadMetadata{CfgID: digest(in.Tree["workload"])},
		Standardized: LoadStandardized{
			Tool: tool, ToolVersion: engineVersion, Source: source(w),
			OutputSeqLen: lengths(&in.Requests.output),
			Prefix:       prefix(w), MultiTurn: in.multiTurn(),
		},
		Native: Native{Config: map[string]any{"workload": in.Tree["workload"], "horizon": in.Tree["horizon"]}},
	}
	if input == nil {
		// The field is required, and no request completed whose length is known.
		input = &SequenceLength{Distribution: Other}
	}
	l.Standardized.InputSeqLen = *input
	switch users, open := users(w); {
	case users > 0 && !open:
		l.Standardized.Concurrency = new(float64(users))
	case users == 0 && len(in.Requests.offered) > 0:
		l.Standardized.RateQPS = new(meanOf(in.Requests.offered))
	}
	return l
}

// source says how requests are made: drawn at random, or sampled from a trace.
func source(w *v1alpha1.Workload) string {
	traces := w.Trace != nil || len(w.Traces) > 0
	switch {
	case traces && len(w.Clients) > 0:
		return "unknown"
	case traces:
		return "sampled"
	default:
		return "random"
	}
}

// lengths is the law of measured lengths; nil without measured lengths.
func lengths(t *tally) *SequenceLength {
	if t.values.Count() == 0 {
		return nil
	}
	least, most := t.values.Min(), t.values.Max()
	if least == most {
		return &SequenceLength{Distribution: Fixed, Value: float64(most)}
	}
	return &SequenceLength{Distribution: Other, Value: t.values.Mean(), StdDev: new(t.stdDev()), Min: &least, Max: &most}
}

// users are those of closed loops; open says that other traffic waits for no answer.
func users(w *v1alpha1.Workload) (n int64, open bool) {
	open = w.Trace != nil || len(w.Traces) > 0
	for i := range w.Clients {
		c := &w.Clients[i]
		if c.ClosedLoop == nil {
			open = true
			continue
		}
		copies := int64(1)
		if c.Copies != nil {
			copies = int64(c.Copies.Count)
		}
		n += copies * int64(c.ClosedLoop.Concurrency)
	}
	return n, open
}

// prefix says what prompts share, where one client without copies says it; nil otherwise.
func prefix(w *v1alpha1.Workload) *LoadPrefix {
	if len(w.Clients) != 1 || w.Trace != nil || len(w.Traces) > 0 {
		return nil
	}
	c := &w.Clients[0]
	if c.Prefix == nil || c.Prefix.Examples != nil || c.Copies != nil {
		return nil
	}
	groups := int64(1)
	if c.Prefix.Groups != nil {
		groups = int64(c.Prefix.Groups.Count)
	}
	return &LoadPrefix{
		PrefixLen: SequenceLength{Distribution: Fixed, Value: float64(c.Prefix.Tokens)},
		NumGroups: groups, NumUsersPerGroup: 1, NumPrefixes: 1,
	}
}

// multiTurn says whether requests are turns of conversations.
func (in *Input) multiTurn() *MultiTurn {
	if in.Requests.sessions.total == 0 {
		return nil
	}
	return &MultiTurn{Enabled: true, MaxTurns: lengths(&in.Requests.sessions.perEvents)}
}

func meanOf(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}
