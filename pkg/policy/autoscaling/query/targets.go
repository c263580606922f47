// SPDX-License-Identifier: Apache-2.0

package query

import "strconv"

// Targets are what the monitoring system scrapes for a unit: the engines of its pools, the
// exporter of their accelerators, and the EPP of its router.
type Targets struct {
	// InferencePool names the pool of the EPP.
	InferencePool string
	// Pools are those of the unit, in the order of a view.
	Pools []Pool
	// Variant names the variant for which llm-d's autoscaler exports a number of replicas; empty
	// where there is no such autoscaler.
	Variant string
	// EPP is that of the router; nil where policies route.
	EPP *EPP
}

// Pool is a pool of engines.
type Pool struct {
	Name, Model string
	// Pods name its endpoints, in order of their places in a sample.
	Pods []string
}

// gateway is the place of what has no place among the engines of a sample.
const gateway = -1

// series is one series of a metric.
type series struct {
	*labels
	metric *Metric
	// place is that of the engine in a sample; bucket that of a bucket in its histogram.
	place, bucket int
	// band is the priority that the series is about; nil for all of them.
	band *int
}

// series lists the series of a metric.
func (t *Targets) series(m *Metric, as string, in interner) []series {
	var all []series
	switch {
	case m.gateway != nil:
		return t.ofRouter(m, as, in)
	case m.byDetector:
		return t.ofDetectors(m, as, in)
	case m.stages != nil:
		return t.ofStages(m, as, in)
	case m.load != nil:
		return t.ofEndpoints(m, as, in)
	}
	place := 0
	for i := range t.Pools {
		for _, endpoint := range t.Pools[i].Pods {
			l := t.ofEndpoint(m, as, &t.Pools[i], endpoint)
			for bucket := range max(1, len(m.bounds)) {
				if m.bounds != nil {
					l[le] = m.bounds[bucket]
				}
				all = append(all, series{labels: in.get(l), metric: m, place: place, bucket: bucket})
			}
			place++
		}
	}
	return all
}

// ofEndpoint returns the labels of a metric of an engine.
func (t *Targets) ofEndpoint(m *Metric, as string, p *Pool, endpoint string) labels {
	l := labels{metricName: as}
	for _, has := range m.labels {
		switch has {
		case pod, serverEndpoint, serverPod:
			l[has] = endpoint
		case pool, deployment:
			l[has] = p.Name
		case modelName:
			l[has] = p.Model
		case name:
			l[has] = t.InferencePool
		}
	}
	return l
}

// ofRouter lists the series of a metric of the router: one, or one for each priority.
func (t *Targets) ofRouter(m *Metric, as string, in interner) []series {
	l := t.ofGateway(m, as)
	if m.gatewayBucket != nil {
		var all []series
		for bucket, bound := range m.bounds {
			l[le] = bound
			all = append(all, series{labels: in.get(l), metric: m, place: gateway, bucket: bucket})
		}
		return all
	}
	if m.band == nil || t.EPP == nil || len(t.EPP.Priorities) == 0 {
		return []series{{labels: in.get(l), metric: m, place: gateway}}
	}
	var all []series
	for i := range t.EPP.Priorities {
		l[priority] = strconv.Itoa(t.EPP.Priorities[i])
		all = append(all, series{labels: in.get(l), metric: m, place: gateway, band: &t.EPP.Priorities[i]})
	}
	return all
}

// ofGateway returns the labels of a metric of the EPP, or of llm-d's autoscaler. A router has requests of one model, or
// of several, which the metric then sums under the name of the first pool's.
func (t *Targets) ofGateway(m *Metric, as string) labels {
	l := labels{metricName: as}
	for _, has := range m.labels {
		switch has {
		case variantName:
			l[has] = t.Variant
		case deployment:
			l[has] = t.Pools[0].Name
		case name, inferencePool:
			l[has] = t.InferencePool
		case statusName:
			l[has] = "success"
		case modelName, targetModelName:
			if len(t.Pools) > 0 {
				l[has] = t.Pools[0].Model
			}
		}
	}
	return l
}

// ofStages lists the series of a saturation.
func (t *Targets) ofStages(m *Metric, as string, in interner) []series {
	var all []series
	for i := range m.stages {
		s := &m.stages[i]
		if s.exists != nil && !s.exists(t.EPP) {
			continue
		}
		l := t.ofGateway(m, as)
		if t.EPP.hasStages() {
			l[stageName] = s.name
		}
		all = append(all, series{labels: in.get(l), metric: m, place: gateway, bucket: i})
	}
	return all
}

// ofDetectors lists the series of the saturations of several detectors.
func (t *Targets) ofDetectors(m *Metric, as string, in interner) []series {
	var all []series
	for i, d := range t.EPP.Detectors {
		for bucket, covers := range []bool{d.Prefill, d.Decode} {
			if s := &m.stages[bucket]; covers && s.exists(t.EPP) {
				l := labels{metricName: as, detectorName: d.Name, stageName: s.name}
				all = append(all, series{labels: in.get(l), metric: m, place: i, bucket: bucket})
			}
		}
	}
	return all
}

// ofEndpoints lists the series of what producers count for endpoints.
func (t *Targets) ofEndpoints(m *Metric, as string, in interner) []series {
	var all []series
	for _, producer := range t.EPP.Producers {
		for _, endpoint := range t.EPP.Endpoints {
			l := labels{metricName: as, endpointName: endpoint, producerName: producer}
			all = append(all, series{labels: in.get(l), metric: m, place: len(all)})
		}
	}
	return all
}
