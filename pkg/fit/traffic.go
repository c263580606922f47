// SPDX-License-Identifier: Apache-2.0

package fit

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"time"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/workload"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// traffic returns the clients.
func (f *fitter) traffic(s trace.Statistics, digest string, labels workload.Labels) *Traffic {
	// The last request arrives before the end of the last gap.
	span := time.Duration(f.span) + time.Duration(int64(f.span)/int64(max(1, s.Requests-1)))
	span = max(span.Round(time.Millisecond), time.Millisecond)
	t := &Traffic{Horizon: v1alpha1.Horizon{Duration: v1alpha1.PositiveDuration(span.String())}}
	t.note("An imitation of the trace %.12s…: %d requests in %s.", digest, s.Requests, span)
	if f.how == trace.Spread {
		t.note("Timestamps come in batches, so arrivals are those of the trace with arrivals: Spread.")
	}
	if f.prefix.blocks > 0 {
		t.note("%.1f %% of the prompts begin with the same %d tokens, and all do here.", 100*f.prefix.share, f.prefix.tokens)
	}
	if len(f.turns) < leastRequests { // too few to be a client
		f.single = slices.Concat(f.single, f.turns)
		slices.SortStableFunc(f.single, func(a, b observed) int { return cmp.Compare(a.arrival, b.arrival) })
		f.turns = nil
	}
	if len(f.single) > 0 {
		t.Workload.Clients = append(t.Workload.Clients, f.singleClient(span))
	}
	if len(f.turns) > 0 {
		t.Workload.Clients = append(t.Workload.Clients, f.conversations(t, span))
	}
	t.note("Lengths of prompts and of answers are drawn independently.")
	if len(labels.Tenants)+len(labels.Classes) > 2 || len(labels.Models) > 1 || len(labels.Adapters) > 0 {
		t.note("Tenants, classes, models and adapters of the trace are not imitated.")
	}
	if f.hasSessions && f.blockTokens == 0 {
		t.note("Sessions of the trace are not imitated, because its prompts share no blocks.")
	}
	return t
}

func (t *Traffic) note(format string, args ...any) {
	t.Notes = append(t.Notes, fmt.Sprintf(format, args...))
}

// singleClient imitates the requests that no other continues.
func (f *fitter) singleClient(span time.Duration) v1alpha1.Client {
	return v1alpha1.Client{
		Name: "requests", Arrivals: arrivals(f.single, span), Prefix: f.sharedPrefix(),
		InputTokens:  histogram(f.single, func(o observed) int32 { return o.input - int32(f.prefix.tokens) }),
		OutputTokens: histogram(f.single, func(o observed) int32 { return o.output }),
	}
}

// conversations imitates the turns of conversations.
func (f *fitter) conversations(t *Traffic, span time.Duration) v1alpha1.Client {
	var firsts []observed
	var gaps time.Duration
	asked, added, later, longest := 0.0, int64(0), 0, int32(1)
	turns := map[int32]int{}
	for _, s := range f.sessions {
		if s.turns < 2 {
			continue
		}
		firsts = append(firsts, s.first)
		asked += float64(max(1, s.first.input-int32(f.prefix.tokens)))
		added, later, gaps = added+s.added, later+s.turns-1, gaps+s.gaps
		longest = max(longest, s.last.input+s.last.output)
		turns[int32(s.turns)]++
	}
	meanFirst, meanAdded := asked/float64(len(firsts)), float64(added)/float64(later)
	perSecond := float64(len(f.turns)) / span.Seconds()
	concurrent := int32(min(max(1, math.Round(perSecond*gaps.Seconds()/float64(later))), 100_000))
	input := histogram(firsts, func(o observed) int32 { return o.input - int32(f.prefix.tokens) })
	input.Min = 1
	t.note("%d requests are turns of %d conversations. A first turn asks %.0f tokens on average and a later one %.0f;", len(f.turns), len(firsts), meanFirst, meanAdded)
	t.note("here each turn asks %s times what the turn before asked. Turns are %.0f s apart on average.", decimal(growth(meanFirst, meanAdded)), gaps.Seconds()/float64(later))
	return v1alpha1.Client{
		Name: "conversations", Arrivals: arrivals(f.turns, span), Prefix: f.sharedPrefix(),
		InputTokens:  input,
		OutputTokens: histogram(f.turns, func(o observed) int32 { return o.output }),
		Sessions: &v1alpha1.Sessions{
			Concurrent: &concurrent, Turns: weighted(turns), Context: v1alpha1.AccumulateContext, MaxTokens: &longest,
			PromptGrowth: v1alpha1.PositiveDecimal(decimal(growth(meanFirst, meanAdded))), Order: v1alpha1.RandomOrder,
		},
	}
}

// growth is the factor from turn to turn, within what the API takes.
func growth(first, added float64) float64 {
	return min(max(math.Round(1000*added/first)/1000, 0.001), 10)
}

func (f *fitter) sharedPrefix() *v1alpha1.Prefix {
	if f.prefix.tokens == 0 {
		return nil
	}
	return &v1alpha1.Prefix{Group: "shared", Tokens: int32(f.prefix.tokens)}
}

// histogramBins is how many lengths a histogram has at most.
const histogramBins = 200

// histogram imitates lengths: each of them where there are few, and else the means of groups
// of neighbours of equal size.
func histogram(of []observed, length func(observed) int32) v1alpha1.Lengths {
	counts := map[int32]int{}
	for _, o := range of {
		counts[max(1, length(o))]++
	}
	return weighted(counts)
}

// weighted are lengths with a number of requests each.
func weighted(counts map[int32]int) v1alpha1.Lengths {
	lengths := slices.Sorted(maps.Keys(counts))
	total := 0
	for _, n := range counts {
		total += n
	}
	l := v1alpha1.Lengths{Distribution: v1alpha1.HistogramLengths}
	group, tokens, done := 0, 0.0, 0
	for i, length := range lengths {
		group += counts[length]
		tokens += float64(length) * float64(counts[length])
		done += counts[length]
		full := done*histogramBins >= (len(l.Histogram)+1)*total
		if len(lengths) <= histogramBins || full || i == len(lengths)-1 {
			l.Histogram = append(l.Histogram, v1alpha1.WeightedLength{Tokens: int32(math.Round(tokens / float64(group))), Weight: int32(group)})
			group, tokens = 0, 0
		}
	}
	return l
}

// decimal writes a number with at most 6 digits behind the point.
func decimal(x float64) string {
	return strconv.FormatFloat(math.Round(x*1e6)/1e6, 'f', -1, 64)
}
