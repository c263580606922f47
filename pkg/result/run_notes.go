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
	return fmt.Sprintf("Pool %s: %s; step times of the %s model.", p.Name, strings.Join(what, " "), p.LatencyModel)
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
