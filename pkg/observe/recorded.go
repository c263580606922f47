// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"fmt"
	"maps"
	"time"
)

// recording returns what was scraped.
func (x *exporter) recording() *Recording {
	r := &Recording{}
	for _, e := range x.engines {
		x.gauge(r, e, running.names[0], e.running)
		x.gauge(r, e, waiting.names[0], e.waiting)
		x.gauge(r, e, kvUsage.names[0], e.kvUsage)
	}
	for _, e := range x.shown {
		x.counter(r, e, finished.names[0], nil, e.finished)
		x.counter(r, e, lookups.names[0], nil, e.lookups)
		x.counter(r, e, hits.names[0], nil, e.hits)
		x.counter(r, e, computed.names[0], nil, e.computed)
		x.counter(r, e, given.names[0], nil, e.given)
		for _, h := range e.histograms() {
			x.histogram(r, e, h.name, *h.of)
		}
	}
	r.Series = append(r.Series, Series{routed.names[0], nil, x.points(nil, grown(x.arrived))})
	r.Series = append(r.Series, Series{routedQueues.names[0], nil, x.points(nil, x.meanQueue())})
	return r
}

// points gives values the times of their scrapes; there is nil where all are there.
func (x *exporter) points(there []bool, values []float64) []Sample {
	points := make([]Sample, 0, len(values))
	for k, v := range values {
		if there == nil || there[k] {
			at := x.stage.Window.From.Add(time.Duration(k) * x.stage.Window.Interval)
			points = append(points, Sample{at.UnixMilli(), v})
		}
	}
	return points
}

// grown adds up what was counted between scrapes.
func grown(counts []float64) []float64 {
	values, sum := make([]float64, len(counts)), 0.0
	for k, n := range counts {
		sum += n
		values[k] = sum
	}
	return values
}

func (e *engine) labels() map[string]string {
	return map[string]string{"pod": fmt.Sprintf("%s/%d", e.pool, e.place)}
}

func (x *exporter) gauge(r *Recording, e *engine, name string, values []float64) {
	r.Series = append(r.Series, Series{name, e.labels(), x.points(e.there, values)})
}

// counter shows a counter. One engine's are there at those scrapes that it answers, those of all at
// all of them.
func (x *exporter) counter(r *Recording, e *engine, name string, more map[string]string, counts []float64) {
	labels, there := e.labels(), e.there
	if !x.stage.ByReplica {
		labels, there = map[string]string{}, nil
	}
	maps.Copy(labels, more)
	r.Series = append(r.Series, Series{name, labels, x.points(there, grown(counts))})
}

func (x *exporter) histogram(r *Recording, e *engine, name string, h *histogram) {
	total := x.column()
	for i, counts := range h.counts {
		for k, n := range counts {
			total[k] += n
		}
		upper := "+Inf"
		if i < len(h.bounds) {
			upper = leText(h.bounds[i])
		}
		x.counter(r, e, name+"_bucket", map[string]string{labelLE: upper}, total)
	}
	x.counter(r, e, name+"_sum", nil, h.sums)
	x.counter(r, e, name+"_count", nil, total)
}

// meanQueue is what the EPP shows of the engines' queues.
func (x *exporter) meanQueue() []float64 {
	means := x.column()
	for k := range means {
		n := 0.0
		for _, e := range x.engines {
			if e.there[k] {
				means[k] += e.waiting[k]
				n++
			}
		}
		if n > 0 {
			means[k] /= n
		}
	}
	return means
}
