// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"windtunnel.dev/windtunnel/internal/figure"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// legend explains the marks of a run's tables.
func (r runTable) legend() []string {
	if seeds := r.seeds(); len(seeds) > 1 {
		return []string{seedsNote(seeds)}
	}
	return nil
}

func (r runTable) seeds() []int64 {
	var seeds []int64
	for _, doc := range r.docs {
		seeds = append(seeds, doc.Seed)
	}
	return seeds
}

// facts are sentences about the results of this run.
func (r runTable) facts() []string {
	d := r.docs[0]
	var requests result.Requests
	for _, doc := range r.docs {
		addRequests(&requests, &doc.Overall.Requests)
	}
	var notes []string
	if seeds := r.seeds(); len(seeds) < 2 {
		notes = append(notes, seedsNote(seeds))
	}
	notes = append(notes, r.warmUpNotes()...)
	if requests.Rejected > 0 {
		notes = append(notes, rejectedNote(&requests))
	}
	if requests.Unfinished > 0 {
		notes = append(notes, unfinishedNote)
	}
	notes = append(notes, provenanceNotes(&d.Provenance)...)
	for i := range d.Adaptive {
		notes = append(notes, adaptiveNote(&d.Adaptive[i], d.Seed))
	}
	return append(notes, fmt.Sprintf("Engine version %s.", d.EngineVersion))
}

// warmUpNotes say what a rule left out, where there is one.
func (r runTable) warmUpNotes() []string {
	var unsteady []int64
	var seconds []float64 // of steady runs
	rule := ""
	for _, d := range r.docs {
		switch w := d.Overall.WarmUp; {
		case w == nil:
		case w.Steady:
			rule, seconds = w.Rule, append(seconds, d.WarmUpSeconds)
		default:
			rule, unsteady = w.Rule, append(unsteady, d.Seed)
		}
	}
	var notes []string
	if len(seconds) > 0 {
		notes = append(notes, fmt.Sprintf("The rule %s removed a warm-up of %s s (mean over %s).",
			rule, figure.Fixed(stats.MeanInterval(seconds, result.Confidence).Mean, 1), figure.Plural(len(seconds), "seed")))
	}
	if len(unsteady) > 0 {
		notes = append(notes, fmt.Sprintf("Under %s the rule %s found no steady state in the first half of the run, and removed no requests. A longer run may have a steady state; a growing backlog has none (warmup.steady).",
			figure.NamedSeeds(unsteady), rule))
	}
	return notes
}

// addRequests adds up the counts that the sentences use.
func addRequests(r *result.Requests, other *result.Requests) {
	r.Arrived += other.Arrived
	r.Rejected += other.Rejected
	r.Unfinished += other.Unfinished
	r.RejectedBy = r.RejectedBy.Plus(other.RejectedBy)
}

// rejectedNote says how many requests were rejected, and why.
func rejectedNote(r *result.Requests) string {
	var why []string
	for _, reason := range slices.Sorted(maps.Keys(r.RejectedBy)) {
		why = append(why, fmt.Sprintf("%s %d", reason, r.RejectedBy[reason]))
	}
	share := float64(r.Rejected) / float64(r.Arrived) * 100
	note := fmt.Sprintf("%s %% of the requests were rejected (%s). Latencies exclude them, and may look better than without rejections (rejectionRate).",
		figure.Fixed(share, 2), strings.Join(why, ", "))
	if r.RejectedBy[simulator.Evicted.String()] > 0 {
		note += " Evicted requests count in queueing, TTFT and throughput up to their eviction."
	}
	return note
}

// provenanceNotes say what a result rests on.
func provenanceNotes(p *result.Provenance) []string {
	var notes []string
	for i := range p.Pools {
		notes = append(notes, poolNote(&p.Pools[i]))
		for _, caveat := range p.Pools[i].Caveats {
			notes = append(notes, fmt.Sprintf("Pool %s: %s.", p.Pools[i].Name, caveat))
		}
	}
	notes = append(notes, routerNotes(p)...)
	if p.Handoff != nil {
		notes = append(notes, handoffNote(p.Handoff))
	}
	if p.Disruptions > 0 {
		notes = append(notes, fmt.Sprintf("Replicas are disrupted %s, recoveries included.", times(p.Disruptions)))
	}
	for i := range p.Scalers {
		notes = append(notes, scalerNote(&p.Scalers[i]))
	}
	return append(notes, workloadNote(&p.Workload, p.Loop))
}

// scalerNote says what scales pools.
func scalerNote(s *result.ScalerProvenance) string {
	text := fmt.Sprintf("Scaler %s (%s) keeps %s between %d and %s, and decides every %v on metrics that are scraped every %v",
		s.Name, s.Policy, strings.Join(s.Pools, " and "), s.Min, figure.Plural(s.Max, "replica"), inSeconds(s.IntervalSeconds), inSeconds(s.ScrapeIntervalSeconds))
	if s.DelaySeconds > 0 {
		text += fmt.Sprintf(" and read %v later", inSeconds(s.DelaySeconds))
	}
	return text + "."
}

func inSeconds(s float64) time.Duration { return time.Duration(math.Round(s * 1e9)) }

// routerNotes say who routed, and how fresh what it saw was.
func routerNotes(p *result.Provenance) []string {
	routers := p.Routers
	if len(routers) == 0 {
		routers = []result.RouterProvenance{p.Router}
	}
	var notes []string
	for _, r := range routers {
		router := "Router"
		if r.Version != "" {
			router += " " + r.Version
		}
		switch {
		case r.Name != "":
			router += " (" + r.Name + " of " + r.Model + ")"
		case r.Model != "":
			router += " of " + r.Model
		}
		when := "at each decision (signals: " + r.Signals + ")"
		if r.Signals == "" {
			when = fmt.Sprintf("every %v", inSeconds(r.ScrapeIntervalSeconds))
		}
		notes = append(notes, fmt.Sprintf("%s reads the metrics of replicas %s, and its own counters without delay.", router, when))
	}
	return notes
}

func poolNote(p *result.PoolProvenance) string {
	what := []string{fmt.Sprintf("%s of %s", figure.Plural(p.Replicas, "replica"), orUnknown(p.Model))}
	if p.Accelerator != "" {
		what = append(what, fmt.Sprintf("on %s, tensor parallelism %d", p.Accelerator, p.TensorParallelism))
	}
	if p.DataParallelism > 1 {
		what[len(what)-1] += fmt.Sprintf(", data parallelism %d", p.DataParallelism)
	}
	if p.ExpertParallelism {
		what[len(what)-1] += ", expert parallelism"
	}
	parts := []string{strings.Join(what, " ")}
	if p.Role != "" {
		parts = append(parts, "role "+p.Role)
	}
	parts = append(parts, quantizationWords(p.Quantization)...)
	parts = append(parts, kvWords(p)...)
	parts = append(parts, tierWords(p)...)
	parts = append(parts, stabilityWords(p.Stability)...)
	parts = append(parts, stepTimesText(p))
	parts = append(parts, schedulerWords(p)...)
	parts = append(parts, requestCostWords(p.RequestCost)...)
	return fmt.Sprintf("Pool %s: %s.", p.Name, strings.Join(parts, "; "))
}

// oracle is the scheduler that sees what no engine does.
const oracle = "ShortestOracle"

func schedulerWords(p *result.PoolProvenance) []string {
	var words []string
	if p.Scheduler != "" {
		words = append(words, "queues in the order of "+p.Scheduler)
	}
	if p.Scheduler == oracle {
		words[0] += ", which sees the true lengths of answers: a bound"
	}
	if p.Victim != "" {
		words = append(words, "preempting "+p.Victim)
	}
	return words
}

func kvWords(p *result.PoolProvenance) []string {
	if p.KVBlocks == 0 {
		return nil
	}
	text := fmt.Sprintf("%s of %s", figure.Plural(p.KVBlocks, "KV block"), figure.Plural(p.BlockTokens, "token"))
	if p.KVBlocksComputed {
		text += ", computed from its memory"
	}
	if p.Eviction != "" {
		text += ", evicted by " + p.Eviction
	}
	return []string{text}
}

func tierWords(p *result.PoolProvenance) []string {
	var words []string
	for _, t := range p.Tiers {
		words = append(words, tierText(&t))
	}
	if len(words) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("below them %s, offloading %s", strings.Join(words, " and "), p.Offload)}
}

func tierText(t *result.TierProvenance) string {
	whose := ""
	if t.Shared {
		whose = " shared by the pool"
	}
	if t.Eviction != "" {
		whose += ", evicted by " + t.Eviction
	}
	return fmt.Sprintf("%s tier of %s%s (reads %s, writes %s, %v)", t.Kind, figure.Plural(t.Blocks, "block"), whose,
		bandwidth(t.ReadBytesPerSecond), bandwidth(t.WriteBytesPerSecond), seconds(t.LatencySeconds))
}

func stabilityWords(s *result.StabilityProvenance) []string {
	if s == nil {
		return nil
	}
	text := s.Controller + " watches the cache"
	if s.Evicts {
		text += " and evicts"
	}
	if s.Admission != "Always" {
		text += ", admission " + s.Admission
	}
	return []string{text}
}

func handoffNote(h *result.HandoffProvenance) string {
	text := fmt.Sprintf("Hand-overs: %s each way of a replica, %v; by %s", bandwidth(h.BytesPerSecond), seconds(h.LatencySeconds), h.Granularity)
	if h.StartShare > 0 {
		text += fmt.Sprintf("; decode begins when %s %% are there", figure.Shortest(h.StartShare*100))
	}
	if h.SingleOwner {
		text += "; the prefill replica drops its copy"
	}
	if h.MaxPending > 0 {
		text += fmt.Sprintf("; at most %d pending to a replica", h.MaxPending)
	}
	return text + "."
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// bandwidth prints bytes a second in decimal units.
func bandwidth(bytesPerSecond int64) string {
	value, unit := float64(bytesPerSecond), "B/s"
	for _, larger := range []string{"kB/s", "MB/s", "GB/s", "TB/s"} {
		if value < 1000 {
			break
		}
		value, unit = value/1000, larger
	}
	return strconv.FormatFloat(value, 'g', 3, 64) + " " + unit
}

func seconds(s float64) time.Duration { return time.Duration(math.Round(s * 1e9)) }

func stepTimesText(p *result.PoolProvenance) string {
	text := fmt.Sprintf("step times of the %s model", p.LatencyModel)
	if len(p.Given) > 0 {
		text += ", given " + strings.Join(p.Given, ", ")
	}
	return text
}

func quantizationWords(q result.QuantizationProvenance) []string {
	var words []string
	for _, f := range []struct{ what, format string }{
		{"weights", q.Weights}, {"KV cache", q.KVCache}, {"activations", q.Activations},
	} {
		if f.format != "" {
			words = append(words, f.what+" in "+f.format)
		}
	}
	if len(words) == 0 {
		return nil
	}
	return []string{strings.Join(words, ", ")}
}

func requestCostWords(c result.RequestCostProvenance) []string {
	var words []string
	for _, f := range []struct {
		seconds float64
		where   string
	}{
		{c.QueueBaseSeconds, "before the queue"},
		{c.QueuePerTokenSeconds, "for each prompt token before the queue"},
		{c.PerOutputTokenSeconds, "for each output token"},
		{c.CompletionSeconds, "at the end"},
	} {
		if f.seconds > 0 {
			words = append(words, fmt.Sprintf("%v %s", time.Duration(math.Round(f.seconds*1e9)), f.where))
		}
	}
	if len(words) == 0 {
		return nil
	}
	return []string{"in addition to the steps, a request costs " + strings.Join(words, ", ")}
}

func workloadNote(p *result.WorkloadProvenance, loop string) string {
	var sources []string
	if p.TraceSHA256 != "" {
		sources = append(sources, traceNote("", &p.TraceProvenance))
	}
	for i := range p.Traces {
		sources = append(sources, traceNote(p.Traces[i].Name+": ", &p.Traces[i].TraceProvenance))
	}
	if p.Clients > 0 || len(sources) == 0 {
		sources = slices.Insert(sources, 0, figure.Plural(p.Clients, "synthetic client"))
	}
	return fmt.Sprintf("Workload (%s loop): %s.", loop, strings.Join(sources, " and "))
}

func traceNote(name string, p *result.TraceProvenance) string {
	text := fmt.Sprintf("%s%s trace %.12s…", name, p.TraceFormat, p.TraceSHA256)
	if p.Arrivals != "" {
		text += ", arrivals " + p.Arrivals
	}
	if p.RateScale != 0 && p.RateScale != 1 {
		text += fmt.Sprintf(", rate × %s", figure.Shortest(p.RateScale))
	}
	if p.Loop != "" {
		text += ", repeated with " + p.Loop
	}
	if p.Slice != "" {
		text += ", slice " + p.Slice
	}
	if p.Sample != 0 {
		text += fmt.Sprintf(", sample of %s", figure.Shortest(p.Sample))
	}
	if p.Skipped > 0 {
		text += fmt.Sprintf(", %s left out for their length", figure.Plural(p.Skipped, "request"))
	}
	if p.Clipped > 0 {
		text += fmt.Sprintf(", %s clipped", figure.Plural(p.Clipped, "request"))
	}
	if p.SkippedZeroOutput > 0 {
		text += fmt.Sprintf(", %s without output left out", figure.Plural(p.SkippedZeroOutput, "request"))
	}
	if p.PrefillOnly > 0 {
		text += fmt.Sprintf(", %s without output sent for 1 token", figure.Plural(p.PrefillOnly, "request"))
	}
	return text
}

func orUnknown(name string) string {
	if name == "" {
		return "an unnamed model"
	}
	return name
}
