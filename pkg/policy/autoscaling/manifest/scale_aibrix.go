// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/aibrix"
)

// aibrixScaler is AIBrix's PodAutoscaler.
type aibrixScaler struct {
	config  aibrix.Config
	decides *aibrix.Autoscaler
	sources []source
}

// loadPodAutoscaler makes a scaler of a PodAutoscaler.
func (m *Manifest) loadPodAutoscaler(a Adapter, path, queries *field.Path) (*Config, field.ErrorList) {
	var errs field.ErrorList
	if len(a.Queries) > 0 {
		errs = append(errs, field.Forbidden(queries, "goes with horizontalPodAutoscaler; AIBrix asks the pods"))
	}
	if a.Analyser != nil {
		errs = append(errs, field.Forbidden(a.AnalyserPath, "has no effect: a PodAutoscaler does not follow wva_desired_replicas"))
	}
	c := &Config{Interval: aibrix.Resync}
	var asked []source
	for i, x := range m.sampled {
		s := source{name: x.name, text: x.name, targets: a.Targets}
		if !strings.Contains(x.name, ":") {
			s.text = "vllm:" + x.name
		}
		errs = append(errs, s.compile(path.Child("spec", "metricsSources").Index(i).Child("targetMetric"), nil)...)
		asked = append(asked, s)
	}
	if len(errs) > 0 {
		return nil, errs
	}
	for i := range asked {
		c.Window = max(c.Window, asked[i].query.Window())
	}
	c.make = func() autoscaling.Scaler {
		return &aibrixScaler{config: m.aibrix, decides: aibrix.New(m.aibrix), sources: forRun(asked)}
	}
	return c, nil
}

func (s *aibrixScaler) Scale(view *autoscaling.View, wanted []int) autoscaling.Reason {
	if !isDue(view.Now, aibrix.Resync) {
		return ""
	}
	p := &view.Pools[0]
	values := make([][]float64, len(s.sources))
	for i := range s.sources {
		values[i] = s.read(view, p, &s.sources[i])
	}
	d := s.decides.Decide(time.Duration(view.Now), wanted[0], values)
	was := wanted[0]
	wanted[0] = d.Target
	view.Note("mean of the window", d.Stable)
	view.Note("mean of the short window", d.Panic)
	view.Note("recommended", float64(d.Recommended))
	return autoscaling.Reason(s.words(&d, was))
}

// read returns the values of a metric by pod: nil where pods have addresses and none answers. A pod
// that loads has an address, and AIBrix takes 0 for what it cannot read; one that waits for a machine
// has none.
func (s *aibrixScaler) read(view *autoscaling.View, p *autoscaling.Pool, of *source) []float64 {
	of.ask(view)
	var values []float64
	for _, r := range of.answer {
		values = append(values, r.Value)
	}
	for i := range p.Replicas {
		if p.Replicas[i].Stage == autoscaling.Loading {
			values = append(values, 0)
		}
	}
	if values == nil && len(p.Replicas) == 0 {
		return []float64{}
	}
	return values
}

// words says what the controller asks for, and why.
func (s *aibrixScaler) words(d *aibrix.Decision, was int) string {
	stays := fmt.Sprintf("stays at %d: ", was)
	if d.Target != was {
		stays = fmt.Sprintf("from %d to %d: ", was, d.Target)
	}
	switch d.Reason {
	case aibrix.Disabled:
		return stays + "AIBrix does not scale from 0 with a minimum above 0"
	case aibrix.AboveMaximum, aibrix.BelowMinimum:
		return stays + "the bounds decide"
	case aibrix.Unmeasured:
		return stays + "no pod has a value of a metric"
	}
	text := fmt.Sprintf("%s%s: the mean of %s is %.4g in %s", stays, s.config.Strategy, s.sources[d.Metric].name, d.Stable, s.config.Window)
	if s.config.Strategy == aibrix.KPA {
		text += fmt.Sprintf(" and %.4g in %s", d.Panic, s.config.PanicWindow)
	}
	if d.Reason == aibrix.Panicked {
		text += ", a panic"
	}
	text += fmt.Sprintf(", for a target of %v, which asks for %d", s.config.Targets[d.Metric], d.Recommended)
	switch {
	case d.Target == d.Recommended:
		return text
	case d.Recommended < was:
		return text + "; the smallest recommendation of the cooldown counts"
	default:
		return text + "; the largest recommendation of the cooldown counts"
	}
}
