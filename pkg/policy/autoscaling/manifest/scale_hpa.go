// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"math"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/hpa"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/query"
)

// hpaScaler is an autoscaler with what it observes.
type hpaScaler struct {
	spec       hpa.Spec
	autoscaler *hpa.Autoscaler
	sources    []source
	scale      hpa.Scale
	observed   []hpa.Observation
	// blind says that the last decision was none for want of values.
	blind bool
}

func newHPAScaler(spec hpa.Spec, options hpa.Options, sources []source) *hpaScaler {
	return &hpaScaler{
		spec: spec, autoscaler: hpa.New(spec, options),
		sources: sources, observed: make([]hpa.Observation, len(sources)),
	}
}

func (s *hpaScaler) Scale(view *autoscaling.View, wanted []int) autoscaling.Reason {
	s.look(&view.Pools[0], wanted[0])
	for i := range s.sources {
		s.sources[i].ask(view)
		s.observe(i, &view.Pools[0])
	}
	return s.decide(view, wanted)
}

// look takes in the replicas.
func (s *hpaScaler) look(p *autoscaling.Pool, wanted int) {
	s.scale.Spec, s.scale.Status = int32(wanted), int32(len(p.Replicas))
	s.scale.Pods = s.scale.Pods[:0]
	for i := range p.Replicas {
		s.scale.Pods = append(s.scale.Pods, podOf(&p.Replicas[i]))
	}
}

// podOf is the pod of a replica: pending until it has a node, then running, and ready once
// it serves.
func podOf(r *autoscaling.Replica) hpa.Pod {
	switch {
	case r.Stage.Serves():
		return hpa.Pod{Phase: hpa.Running, Readiness: hpa.Ready, Transition: r.Ready, Start: r.Created}
	case r.Stage == autoscaling.Loading:
		return hpa.Pod{Phase: hpa.Running, Readiness: hpa.NotReady, Transition: r.Created, Start: r.Created}
	default:
		return hpa.Pod{Phase: hpa.Pending, Readiness: hpa.NotReady, Transition: r.Created, Start: r.Created}
	}
}

// observe turns the answer of a source into what the autoscaler sees.
func (s *hpaScaler) observe(i int, p *autoscaling.Pool) {
	o, answer := &s.observed[i], s.sources[i].answer
	o.Failed, o.Values, o.Readings = len(answer) == 0, o.Values[:0], o.Readings[:0]
	switch s.spec.Metrics[i].Source {
	case hpa.Pods:
		for k := range p.Replicas {
			o.Readings = append(o.Readings, readingOf(p.Replicas[k].Endpoint, answer))
		}
	case hpa.Object:
		sum := 0.0
		for _, x := range answer {
			sum += x.Value
		}
		o.Values = append(o.Values, adapted(sum))
	default:
		for _, x := range answer {
			o.Values = append(o.Values, adapted(x.Value))
		}
	}
}

func readingOf(endpoint int, answer []query.Reading) hpa.Reading {
	for _, x := range answer {
		if x.Endpoint == endpoint {
			return hpa.Reading{Sampled: true, Value: adapted(x.Value)}
		}
	}
	return hpa.Reading{}
}

// adapted is a value in thousandths, as an adapter cuts it off.
func adapted(value float64) int64 {
	switch thousandths := value * 1000; {
	case math.IsNaN(thousandths):
		return 0
	case thousandths >= math.MaxInt64:
		return math.MaxInt64
	case thousandths <= math.MinInt64:
		return math.MinInt64
	default:
		return int64(thousandths)
	}
}

// decide syncs the autoscaler with what was observed.
func (s *hpaScaler) decide(view *autoscaling.View, wanted []int) autoscaling.Reason {
	d := s.autoscaler.Sync(view.Now, s.scale, s.observed)
	for i := range d.Proposals {
		p := &d.Proposals[i]
		if p.Failed != "" {
			view.Lacks(s.sources[i].name)
			continue
		}
		view.Note(s.sources[i].name, float64(p.Usage)/1000)
		view.Note(s.sources[i].name+" wants", float64(p.Replicas))
	}
	if s.blind = len(d.Proposals) > 0 && d.Active != hpa.ValidMetricFound; s.blind {
		view.Blind()
	}
	wanted[0] = int(d.Replicas)
	return autoscaling.Reason(s.words(&d))
}
