// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// metric declares a metric that the manager exports in addition to controller-runtime's.
type metric struct {
	name, typ, help string
	labels          []string
}

// Metrics that the manager computes from the objects at each scrape.
var (
	metricObjects = metric{"windtunnel_objects", "gauge",
		"Number of objects by state: ResultsDamaged if that condition is True, otherwise the reason of condition Ready, or New before the first reconcile.", []string{"namespace", "kind", "state"}}
	metricWaiting = metric{"windtunnel_simulations_waiting", "gauge",
		"Number of known simulations without a result, of objects whose work has not ended.", []string{"namespace", "kind"}}
	metricGates = metric{"windtunnel_gates", "gauge",
		"Number of gates by verdict: Pass, Fail or Unknown.", []string{"namespace", "kind", "verdict"}}
	metricGate = metric{"windtunnel_gate", "gauge",
		"1 for the verdict of each gate of each object.", []string{"namespace", "kind", "name", "gate", "verdict"}}
	metricObjective = metric{"windtunnel_sweep_objective", "gauge",
		"Mean of each objective of a sweep's best point and of its baseline; durations in seconds.", []string{"namespace", "name", "candidate", "metric"}}
)

// Metrics that are counted as the controllers work.
var (
	metricSimulations = metric{"windtunnel_simulations_total", "counter",
		"Number of simulations with a result by source: simulated for the object, or reused.", []string{"namespace", "kind", "source"}}
	metricFailed = metric{"windtunnel_simulations_failed_total", "counter",
		"Number of simulations that ended with an error in place of figures.", []string{"namespace", "kind"}}
	metricEnds = metric{"windtunnel_time_to_end_seconds", "histogram",
		"Time until Complete or Failed, from the object's creation, or for later generations from the start of their work.", []string{"kind", "outcome"}}
	metricWrites = metric{"windtunnel_api_writes_total", "counter",
		"Number of writes to the API server by result. After a conflict the manager observes the object again; a rejection (refused) appears in the object's status.", []string{"verb", "object", "result"}}
)

// metrics are all of them, as the documentation lists them.
var metrics = []metric{
	metricObjects, metricWaiting, metricGates, metricGate, metricObjective,
	metricSimulations, metricFailed, metricEnds, metricWrites,
}

func (m metric) desc() *prometheus.Desc {
	return prometheus.NewDesc(m.name, m.help, m.labels, nil)
}

func (m metric) counter() *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Name: m.name, Help: m.help}, m.labels)
}

// counters counts what the controllers do. It may be used concurrently.
type counters struct {
	simulations, failed, writes *prometheus.CounterVec
	ends                        *prometheus.HistogramVec
}

func newCounters() *counters {
	return &counters{
		simulations: metricSimulations.counter(),
		failed:      metricFailed.counter(),
		writes:      metricWrites.counter(),
		ends: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: metricEnds.name, Help: metricEnds.help,
			// From a second to nine hours.
			Buckets: prometheus.ExponentialBuckets(1, 2, 16),
		}, metricEnds.labels),
	}
}

// Describe implements prometheus.Collector.
func (t *counters) Describe(to chan<- *prometheus.Desc) {
	for _, c := range t.collectors() {
		c.Describe(to)
	}
}

// Collect implements prometheus.Collector.
func (t *counters) Collect(to chan<- prometheus.Metric) {
	for _, c := range t.collectors() {
		c.Collect(to)
	}
}

func (t *counters) collectors() []prometheus.Collector {
	return []prometheus.Collector{t.simulations, t.failed, t.writes, t.ends}
}

// countWrite counts a write.
func (t *counters) countWrite(verb, object string, err error) {
	result := "ok"
	switch {
	case err == nil:
	case apierrors.IsConflict(err) || apierrors.IsNotFound(err) || apierrors.IsAlreadyExists(err):
		result = "conflict"
	case isRefusal(err):
		result = "refused"
	default:
		result = "error"
	}
	t.writes.WithLabelValues(verb, object, result).Inc()
}

// countStatus counts what is new in a status that was written. A status is written by
// one manager only, so nothing is counted twice.
func (t *counters) countStatus(before, after subject, now time.Time) {
	namespace, kind := after.object().GetNamespace(), after.kind()
	var was, is v1alpha1.ProgressStatus
	if p := before.status().Progress; p != nil && before.status().PlanHash == after.status().PlanHash {
		was = *p
	}
	if p := after.status().Progress; p != nil {
		is = *p
	}
	add := func(c prometheus.Counter, n int64) {
		if n > 0 {
			c.Add(float64(n))
		}
	}
	add(t.simulations.WithLabelValues(namespace, kind, "simulated"), is.Completed-is.Reused-(was.Completed-was.Reused))
	add(t.simulations.WithLabelValues(namespace, kind, "reused"), is.Reused-was.Reused)
	add(t.failed.WithLabelValues(namespace, kind), is.Failed-was.Failed)
	if settled(after) && !settled(before) {
		t.ends.WithLabelValues(kind, readyReason(after.status())).Observe(max(0, now.Sub(workStart(after))).Seconds())
	}
}

// workStart is when an object's work began.
func workStart(s subject) time.Time {
	if start := s.status().StartTime; start != nil && s.object().GetGeneration() > 1 {
		return start.Time
	}
	return s.object().GetCreationTimestamp().Time
}
