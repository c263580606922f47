// SPDX-License-Identifier: Apache-2.0

package fit

import (
	"fmt"
	"math"
	"strings"
	"text/tabwriter"
	"time"

	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload"
	"windtunnel.dev/windtunnel/pkg/workload/inspect"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// Comparison holds an imitation against its trace.
type Comparison struct {
	Original, Imitation *inspect.Inspection
	// Tests are two-sample tests of what requests are like.
	Tests []Test
	// Tenths are the requests of each tenth of the trace's time, of both.
	Tenths [10][2]int
}

// Test is a two-sample test of Kolmogorov and Smirnov.
type Test struct {
	Name string
	// Distance is the greatest distance of the two distributions, and P its p-value.
	Distance, P float64
}

// Compare holds an imitation against a trace. Both are traces, the imitation one draw.
func Compare(original, imitation *trace.Trace) (*Comparison, error) {
	c := &Comparison{}
	var samples [2]sample
	for i, t := range []*trace.Trace{original, imitation} {
		in, err := inspect.Trace(t)
		if err != nil {
			return nil, err
		}
		s, err := t.Statistics()
		if err != nil {
			return nil, err
		}
		l := t.Replay(trace.Replay{RateScale: 1, Arrivals: Arrivals(s)}, 1)
		samples[i].read(workload.AnsweredAtOnce(l))
		if err := workload.Close(l); err != nil {
			return nil, err
		}
		if i == 0 {
			c.Original = in
		} else {
			c.Imitation = in
		}
	}
	span := samples[0].arrivals[len(samples[0].arrivals)-1]
	for i, s := range samples {
		for _, at := range s.arrivals {
			c.Tenths[min(int(10*at/max(span, 1e-9)), 9)][i]++
		}
	}
	for _, of := range []struct {
		name string
		of   func(*sample) []float64
	}{
		{"input tokens", func(s *sample) []float64 { return s.inputs }},
		{"output tokens", func(s *sample) []float64 { return s.outputs }},
		{"gaps", func(s *sample) []float64 { return s.gaps }},
	} {
		a, b := of.of(&samples[0]), of.of(&samples[1])
		if len(a) == 0 || len(b) == 0 {
			continue
		}
		d, p := stats.TwoSampleKS(a, b)
		c.Tests = append(c.Tests, Test{of.name, d, p})
	}
	return c, nil
}

// sample is what the tests look at.
type sample struct{ arrivals, gaps, inputs, outputs []float64 }

func (s *sample) read(source workload.Source) {
	for {
		r, ok := source.Next()
		if !ok {
			return
		}
		at := time.Duration(r.Arrival).Seconds()
		if n := len(s.arrivals); n > 0 {
			s.gaps = append(s.gaps, at-s.arrivals[n-1])
		}
		s.arrivals = append(s.arrivals, at)
		s.inputs = append(s.inputs, float64(r.Prompt.Tokens()))
		s.outputs = append(s.outputs, float64(r.OutputTokens))
	}
}

// String is the comparison as text.
func (c *Comparison) String() string {
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(cells ...any) {
		for _, cell := range cells {
			fmt.Fprintf(t, "%v\t", cell)
		}
		fmt.Fprintln(t)
	}
	o, i := c.Original, c.Imitation
	row("", "trace", "imitation", "")
	row("requests", o.Requests, i.Requests, "")
	for _, l := range []struct {
		name string
		a, b inspect.Lengths
	}{{"input tokens", o.InputTokens, i.InputTokens}, {"output tokens", o.OutputTokens, i.OutputTokens}} {
		row(l.name+", mean", fmt.Sprintf("%.1f", l.a.Mean), fmt.Sprintf("%.1f", l.b.Mean), "")
		row("p50", l.a.P50, l.b.P50, "")
		row("p99", l.a.P99, l.b.P99, "")
	}
	row("correlation of the two", correlation(o), correlation(i), "")
	for tenth, n := range c.Tenths {
		row(fmt.Sprintf("requests, tenth %d", tenth+1), n[0], n[1], "")
	}
	c.reuse(row)
	for _, test := range c.Tests {
		row("KS distance, "+test.Name, fmt.Sprintf("%.3f", test.Distance), "p", fmt.Sprintf("%.2g", test.P))
	}
	_ = t.Flush() // into memory
	var out strings.Builder
	for line := range strings.Lines(b.String()) {
		out.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	return out.String()
}

// reuse lists what caches serve of both.
func (c *Comparison) reuse(row func(...any)) {
	if c.Original.Reuse == nil || c.Imitation.Reuse == nil {
		return
	}
	a, b := c.Original.Reuse, c.Imitation.Reuse
	for k := 0; k < len(a.Caches) && k < len(b.Caches); k += 2 {
		row(fmt.Sprintf("reuse, %d blocks", a.Caches[k].Blocks), percent(a.Caches[k].Share), percent(b.Caches[k].Share), "")
	}
	row("reuse, unbounded", percent(a.UnboundedShare), percent(b.UnboundedShare), "")
}

// mostReuseApart is how far the shares of prompt tokens that caches serve may lie apart.
const mostReuseApart = 0.1

// Warning says that caches serve much less or much more of the imitation than of the trace;
// "" where they do not. Routers that look at prefixes then fare differently on the two.
func (c *Comparison) Warning() string {
	if c.Original.Reuse == nil || c.Imitation.Reuse == nil {
		return ""
	}
	a, b := c.Original.Reuse, c.Imitation.Reuse
	trace, imitation, of := a.UnboundedShare, b.UnboundedShare, "an unbounded cache"
	for k := 0; k < len(a.Caches) && k < len(b.Caches); k++ {
		if x, y := a.Caches[k].Share, b.Caches[k].Share; math.Abs(x-y) > math.Abs(trace-imitation) {
			trace, imitation, of = x, y, fmt.Sprintf("a cache of %d blocks", a.Caches[k].Blocks)
		}
	}
	if math.Abs(trace-imitation) <= mostReuseApart {
		return ""
	}
	return fmt.Sprintf("%s serves %s of the prompt tokens of the trace and %s of the imitation's: replay the trace to compare routers that look at prefixes",
		of, percent(trace), percent(imitation))
}

// correlation is that of prompts and answers, without a sign where it rounds to 0.
func correlation(of *inspect.Inspection) string {
	return fmt.Sprintf("%.2f", math.Round(100*of.LengthCorrelation)/100+0)
}

func percent(share float64) string { return fmt.Sprintf("%.2f %%", 100*share) }
