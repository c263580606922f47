// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"cmp"
	"context"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// scrapeTimeout bounds how long a scrape waits for a cache that is not in sync.
const scrapeTimeout = 5 * time.Second

// exporter exports the state of all objects to Prometheus. It reads them from the
// cache at each scrape and keeps nothing.
type exporter struct {
	cache client.Reader
	// leading is closed once this manager leads: of several managers, only the leader
	// exports.
	leading <-chan struct{}
	// perObject exports the gates and objectives of each object too.
	perObject bool
}

// Describe implements prometheus.Collector.
func (e exporter) Describe(to chan<- *prometheus.Desc) {
	for _, m := range []metric{metricObjects, metricWaiting, metricGates, metricGate, metricObjective} {
		to <- m.desc()
	}
}

// Collect implements prometheus.Collector.
func (e exporter) Collect(to chan<- prometheus.Metric) {
	select {
	case <-e.leading:
	default:
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), scrapeTimeout)
	defer cancel()
	for _, s := range []subjects{runs, sweeps} {
		c := objectCounter{exporter: e, kind: s.kind, to: to, sums: map[string]map[sumKey]float64{}}
		list := s.list()
		// What is only read need not be copied.
		if err := e.cache.List(ctx, list, client.UnsafeDisableDeepCopy); err != nil {
			to <- prometheus.NewInvalidMetric(metricObjects.desc(), err)
			continue
		}
		_ = meta.EachListItem(list, func(item runtime.Object) error {
			c.count(s.wrap(item.(client.Object)))
			return nil
		})
		c.emit()
	}
}

// objectCounter counts the objects of one kind.
type objectCounter struct {
	exporter
	kind string
	to   chan<- prometheus.Metric
	// sums are figures by metric.
	sums map[string]map[sumKey]float64
}

// sumKey is what a figure is about: a namespace, and a state or verdict.
type sumKey struct{ namespace, of string }

func (c *objectCounter) add(m metric, key sumKey, n float64) {
	if c.sums[m.name] == nil {
		c.sums[m.name] = map[sumKey]float64{}
	}
	c.sums[m.name][key] += n
}

// stateOf is the state that metrics give an object.
func stateOf(st *v1alpha1.CommonStatus) string {
	if isTrue(st, v1alpha1.ConditionResultsDamaged) {
		return v1alpha1.ReasonResultsDamaged
	}
	return cmp.Or(readyReason(st), "New")
}

func (c *objectCounter) count(s subject) {
	st, namespace := s.status(), s.object().GetNamespace()
	c.add(metricObjects, sumKey{namespace, stateOf(st)}, 1)
	if p := st.Progress; p != nil && !settled(s) {
		c.add(metricWaiting, sumKey{namespace, ""}, float64(p.Total-p.Completed))
	}
	for _, gate := range st.Gates {
		c.add(metricGates, sumKey{namespace, string(gate.Verdict)}, 1)
		if c.perObject {
			c.gauge(metricGate, 1, namespace, c.kind, s.object().GetName(), gate.Name, string(gate.Verdict))
		}
	}
	if sw, ok := s.(sweep); ok && c.perObject {
		c.objectives(sw, "best", sw.Status.Best)
		c.objectives(sw, "baseline", sw.Status.Baseline)
	}
}

// objectives emits the objectives of a point that have a mean.
func (c *objectCounter) objectives(s sweep, candidate string, at *v1alpha1.PointStatus) {
	if at == nil {
		return
	}
	for _, o := range at.Objectives {
		if mean, err := strconv.ParseFloat(o.Mean, 64); err == nil {
			c.gauge(metricObjective, mean, s.Namespace, s.Name, candidate, o.Metric)
		}
	}
}

// emit emits the sums.
func (c *objectCounter) emit() {
	for key, n := range c.sums[metricObjects.name] {
		c.gauge(metricObjects, n, key.namespace, c.kind, key.of)
	}
	for key, n := range c.sums[metricWaiting.name] {
		c.gauge(metricWaiting, n, key.namespace, c.kind)
	}
	for key, n := range c.sums[metricGates.name] {
		c.gauge(metricGates, n, key.namespace, c.kind, key.of)
	}
}

func (c *objectCounter) gauge(m metric, value float64, labels ...string) {
	c.to <- prometheus.MustNewConstMetric(m.desc(), prometheus.GaugeValue, value, labels...)
}
