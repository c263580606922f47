// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"windtunnel.dev/windtunnel/internal/figure"
	"windtunnel.dev/windtunnel/pkg/workload/inspect"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// writeInspection prints an inspection for people.
func writeInspection(w io.Writer, in *inspect.Inspection, format trace.Format) error {
	var t inspectionText
	if len(in.Findings) > 0 && in.Findings[0].Name == inspect.UnsharedPrompts {
		fmt.Fprintf(&t, "Note: %s.\n\n", in.Findings[0].Message)
	}
	t.field("format", "%s", format)
	if format == trace.ServeGen {
		t.field("requests are drawn", "under seed 1; each seed of a simulation draws others")
	}
	t.field("requests", "%d", in.Requests)
	writeCounts(&t, trace.Counts{
		Skipped: in.SkippedRequests, Clipped: in.ClippedRequests,
		SkippedZeroOutput: in.SkippedZeroOutputRequests, PrefillOnly: in.PrefillOnlyRequests,
	})
	if in.WaitingRequests > 0 {
		t.field("wait for an answer", "%d requests, after it %s on average; they are placed as if each request were answered at once",
			in.WaitingRequests, secondsOf(in.MeanDelaySeconds))
	}
	t.field("span", "%s", secondsOf(in.SpanSeconds))
	t.rates(in)
	t.lengths("input tokens", in.InputTokens)
	t.lengths("output tokens", in.OutputTokens)
	t.field("correlations", "prompt and answer %s, rate and prompt %s", figure.Fixed(in.LengthCorrelation, 2), figure.Fixed(in.Rates.RateAndPrompts, 2))
	t.sessions(in.Sessions)
	t.shares("tenants", in.Tenants)
	t.shares("classes", in.Classes)
	t.shares("models", in.Models)
	t.shares("adapters", in.Adapters)
	t.field("sha256", "%s", in.SHA256)
	t.bins(in.Rates.Bins)
	t.caches(in.Reuse)
	t.findings(slices.DeleteFunc(slices.Clone(in.Findings), func(f inspect.Finding) bool { return f.Name == inspect.UnsharedPrompts }))
	_, err := io.WriteString(w, t.String())
	return err
}

// inspectionText is the text of an inspection.
type inspectionText struct{ strings.Builder }

func (t *inspectionText) field(name, format string, args ...any) {
	fmt.Fprintf(t, "%-20s %s\n", name, fmt.Sprintf(format, args...))
}

func (t *inspectionText) rates(in *inspect.Inspection) {
	r := &in.Rates
	t.field("rate", "%.3f requests/s, peak %.2f × the mean", r.RequestsPerSecond, r.PeakToMean)
	t.field("gaps", "CV %.2f, %.2f within bins of %s", r.GapCV, r.GapCVWithinBins, secondsOf(r.BinSeconds))
	var indices []string
	for _, d := range r.Dispersion {
		indices = append(indices, fmt.Sprintf("%.2f in %s", d.Index, secondsOf(d.WindowSeconds)))
	}
	if len(indices) > 0 {
		t.field("dispersion", "%s", strings.Join(indices, ", "))
	}
}

func (t *inspectionText) lengths(name string, l inspect.Lengths) {
	t.field(name, "mean %.1f, min %d, p50 %d, p90 %d, p99 %d, max %d", l.Mean, l.Min, l.P50, l.P90, l.P99, l.Max)
}

func (t *inspectionText) sessions(s *inspect.Sessions) {
	if s == nil {
		return
	}
	t.field("sessions", "%d of %.1f turns on average, %d at most, %s apart; %.1f %% of requests",
		s.Sessions, s.MeanTurns, s.MostTurns, secondsOf(s.MeanGapSeconds), 100*s.RequestsShare)
}

func (t *inspectionText) shares(name string, all []inspect.Share) {
	var shares []string
	for _, s := range all {
		shares = append(shares, fmt.Sprintf("%s %.1f %%", s.Name, 100*s.Share))
	}
	if len(shares) > 0 {
		t.field(name, "%s", strings.Join(shares, ", "))
	}
}

func (t *inspectionText) bins(bins []inspect.Bin) {
	fmt.Fprintf(t, "\n%12s %10s %12s %15s %15s %8s\n", "from", "requests", "requests/s", "input tokens/s", "output tokens/s", "gap CV")
	for _, b := range bins {
		fmt.Fprintf(t, "%12s %10d %12.3f %15.0f %15.0f %8.2f\n",
			secondsOf(b.FromSeconds), b.Requests, b.RequestsPerSecond, b.InputTokensPerSecond, b.OutputTokensPerSecond, b.GapCV)
	}
}

func (t *inspectionText) caches(r *inspect.Reuse) {
	if r == nil {
		return
	}
	fmt.Fprintf(t, "\nReuse by an LRU cache of blocks of %d tokens; the trace has %d distinct ones.\n", r.BlockTokens, r.DistinctBlocks)
	if r.SampledShare < 1 {
		fmt.Fprintf(t, "The shares are estimated from 1/%.0f of the blocks.\n", 1/r.SampledShare)
	}
	fmt.Fprintf(t, "%12s %14s %20s\n", "blocks", "tokens", "of prompt tokens")
	for _, c := range r.Caches {
		fmt.Fprintf(t, "%12d %14d %18.2f %%\n", c.Blocks, c.Tokens, 100*c.Share)
	}
	fmt.Fprintf(t, "%12s %14s %18.2f %%\n", "unbounded", "", 100*r.UnboundedShare)
}

func (t *inspectionText) findings(all []inspect.Finding) {
	if len(all) == 0 {
		fmt.Fprintf(t, "\nNo findings.\n")
		return
	}
	fmt.Fprintf(t, "\nFindings:\n")
	for _, f := range all {
		fmt.Fprintf(t, "  %s: %s\n", f.Name, f.Message)
	}
}

// secondsOf returns a number of seconds as a time, rounded to what people read.
func secondsOf(s float64) time.Duration {
	d := time.Duration(s * 1e9)
	if d >= time.Minute {
		return d.Round(time.Second)
	}
	return d.Round(time.Millisecond)
}
