// SPDX-License-Identifier: Apache-2.0

package result

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// notes are the lines below a run's table.
func (r runTable) notes() []string {
	d := r.docs[0]
	var seeds []int64
	unfinished := false
	for _, doc := range r.docs {
		seeds = append(seeds, doc.Seed)
		unfinished = unfinished || doc.Overall.Requests.Unfinished > 0
	}
	notes := []string{seedsNote(seeds)}
	if unfinished {
		notes = append(notes, unfinishedNote)
	}
	notes = append(notes, d.Provenance.notes()...)
	return append(notes, fmt.Sprintf("Engine version %s.", d.EngineVersion))
}

// notes say what a result rests on.
func (p *Provenance) notes() []string {
	var notes []string
	for i := range p.Pools {
		notes = append(notes, p.Pools[i].note())
		for _, caveat := range p.Pools[i].Caveats {
			notes = append(notes, fmt.Sprintf("Pool %s: %s.", p.Pools[i].Name, caveat))
		}
	}
	router := "Router"
	if p.Router.Version != "" {
		router += " " + p.Router.Version
	}
	interval := time.Duration(math.Round(p.Router.ScrapeIntervalSeconds * 1e9))
	notes = append(notes, fmt.Sprintf("%s sees replicas as scraped every %v, and its own counters as they are.", router, interval))
	return append(notes, p.Workload.note(p.Loop))
}

func (p *PoolProvenance) note() string {
	what := []string{fmt.Sprintf("%s of %s", plural(p.Replicas, "replica"), orUnknown(p.Model))}
	if p.Accelerator != "" {
		what = append(what, fmt.Sprintf("on %s, tensor parallelism %d", p.Accelerator, p.TensorParallelism))
	}
	parts := []string{strings.Join(what, " ")}
	parts = append(parts, p.Quantization.words()...)
	parts = append(parts, fmt.Sprintf("step times of the %s model", p.LatencyModel))
	if p.Scheduler != "" {
		parts = append(parts, "queues in the order of "+p.Scheduler)
	}
	parts = append(parts, p.RequestCost.words()...)
	return fmt.Sprintf("Pool %s: %s.", p.Name, strings.Join(parts, "; "))
}

func (q QuantizationProvenance) words() []string {
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

func (c RequestCostProvenance) words() []string {
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
	return []string{"beside the steps a request costs " + strings.Join(words, ", ")}
}

func (p *WorkloadProvenance) note(loop string) string {
	text := plural(p.Clients, "synthetic client")
	if p.TraceSHA256 != "" {
		text = fmt.Sprintf("%s trace %.12s…", p.TraceFormat, p.TraceSHA256)
		if p.Arrivals != "" {
			text += ", arrivals " + p.Arrivals
		}
		if p.RateScale != 0 && p.RateScale != 1 {
			text += fmt.Sprintf(", rate × %s", shortest(p.RateScale))
		}
	}
	return fmt.Sprintf("Workload (%s loop): %s.", loop, text)
}

func orUnknown(name string) string {
	if name == "" {
		return "an unnamed model"
	}
	return name
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
