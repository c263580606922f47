// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/hpa"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/keda"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/query"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/wva"
	"windtunnel.dev/windtunnel/pkg/spelling"
)

// A Config is a manifest whose metrics are known. It is immutable.
type Config struct {
	make func() autoscaling.Scaler
	// Window is how far back its queries read samples: that of its monitor.
	Window time.Duration
	// Interval is how often it is to be asked.
	Interval time.Duration
	// Notes say what of the queries has no effect.
	Notes []string
}

// New makes the scaler of one run.
func (c *Config) New() autoscaling.Scaler { return c.make() }

// Adapter is what stands between the metrics and the autoscaler.
type Adapter struct {
	// Queries are the queries of metrics by their names. A metric that is not in it is
	// queried by its name. Triggers of KEDA have queries of their own.
	Queries map[string]string
	// Sync is the sync period of the autoscaler.
	Sync time.Duration
	// Targets are what the queries read.
	Targets query.Targets
	// Analyser is the ConfigMap of the workload-variant-autoscaler that the manifest follows; nil
	// where it follows none.
	Analyser *Manifest
	// AnalyserPath is that of the ConfigMap.
	AnalyserPath *field.Path
	// Variants are the pools as an analyser by tokens sees them. Queue says that the EPP exports the
	// queue of its flow control.
	Variants []Variant
	Queue    bool
	// Start is when the run starts; zero where that is not known.
	Start time.Time
}

// Load makes a scaler of a manifest. Errors have the paths of the manifest's fields under
// path, and those of the queries under queries.
func (m *Manifest) Load(a Adapter, path, queries *field.Path) (*Config, field.ErrorList) {
	if m.managed != nil {
		a.Variants = m.managed.costs(a.Variants)
	}
	switch m.Kind {
	case ConfigMap:
		return m.loadAlone(a, queries)
	case PodAutoscaler:
		return m.loadPodAutoscaler(a, path, queries)
	}
	var errs field.ErrorList
	var asked []source
	used := map[string]bool{}
	c := &Config{Interval: a.Sync}
	follows := false
	for _, x := range m.metrics {
		text, at := x.name, x.at(path)
		called := cmp.Or(x.called, x.name)
		if x.cron != nil {
			if a.Start.IsZero() {
				errs = append(errs, field.Invalid(at, "cron", "needs to know when the run starts: state horizon.startTime of the scenario, such as 2026-01-05T08:00:00Z"))
			}
			asked = append(asked, source{name: called, cron: x.cron, start: a.Start})
			continue
		}
		if other, ok := a.Queries[x.name]; ok && m.Kind == HorizontalPodAutoscaler {
			used[x.name] = true
			text, at = other, queries.Key(x.name)
		}
		s := source{
			name: called, text: text, targets: a.Targets, selector: x.selector, nullFails: x.nullFails,
			named: m.Kind == HorizontalPodAutoscaler && !used[x.name],
		}
		var selector *field.Path
		if x.selectorAt != nil {
			selector = x.selectorAt(path)
		}
		if es := s.compile(at, selector); len(es) > 0 {
			errs = append(errs, es...)
			continue
		}
		if s.query.Scalar() && m.Kind == ScaledObject {
			errs = append(errs, field.Invalid(at, text, "is a number, which KEDA cannot read: write vector(…) around it"))
		}
		for _, note := range s.query.Notes() {
			c.Notes = append(c.Notes, at.String()+": "+note)
		}
		c.Window = max(c.Window, s.query.Window())
		follows = follows || s.query.Reads(query.DesiredReplicas)
		asked = append(asked, s)
	}
	for _, name := range slices.Sorted(maps.Keys(a.Queries)) {
		if !used[name] {
			errs = append(errs, field.Invalid(queries.Key(name), a.Queries[name], "has no effect: "+m.withoutQuery()))
		}
	}
	if m.IsManaged() && a.Analyser == nil && follows {
		a.Analyser = shippedAnalyser
	}
	if a.Analyser != nil && !follows && len(errs) == 0 {
		errs = append(errs, field.Invalid(a.AnalyserPath, field.OmitValueType{}, fmt.Sprintf("has no effect: no metric of the %s is %s", m.Kind, query.DesiredReplicas)))
	}
	if len(errs) > 0 {
		return nil, errs
	}
	m.assemble(c, a, asked)
	return c, nil
}

// assemble makes the scaler of what its metrics ask.
func (m *Manifest) assemble(c *Config, a Adapter, asked []source) {
	options := hpa.DefaultOptions()
	options.SyncPeriod = a.Sync
	if m.Kind == HorizontalPodAutoscaler {
		c.make = func() autoscaling.Scaler { return newHPAScaler(m.hpa, options, forRun(asked)) }
		c.follow(a, a.Sync)
		return
	}
	c.Interval = commonPeriod(a.Sync, m.keda.Polling)
	c.make = func() autoscaling.Scaler {
		made, triggers := keda.Convert(m.keda)
		own := forRun(asked)
		seen := pick(own, triggers)
		if m.formula != "" {
			seen = []source{{name: m.formulaName()}}
		}
		return &kedaScaler{
			keda: keda.New(m.keda, 0), spec: m.keda, sync: a.Sync, triggers: triggers,
			hpa: newHPAScaler(made, options, seen), sources: own,
		}
	}
	c.follow(a, a.Sync, m.keda.Polling)
}

// follow has the scaler, which is asked at some periods, follow an analyser.
func (c *Config) follow(a Adapter, periods ...time.Duration) {
	if a.Analyser == nil {
		return
	}
	follower, analyser := c.make, a.Analyser.analyserFor(a)
	c.Window, c.Interval = max(c.Window, a.Analyser.window()), commonPeriod(c.Interval, a.Analyser.Interval())
	c.make = func() autoscaling.Scaler {
		return &wvaScaler{analyser: analyser(), follower: follower(), periods: periods, exported: -1}
	}
}

// loadAlone makes a scaler of an analyser that no autoscaler follows.
func (m *Manifest) loadAlone(a Adapter, queries *field.Path) (*Config, field.ErrorList) {
	if len(a.Queries) > 0 {
		return nil, field.ErrorList{field.Forbidden(queries, "goes with horizontalPodAutoscaler; no adapter answers the analyser")}
	}
	analyser := m.analyserFor(a)
	return &Config{Window: m.window(), Interval: m.Interval(), make: func() autoscaling.Scaler {
		return &wvaScaler{analyser: analyser(), exported: -1}
	}}, nil
}

// analyserFor returns how the analyser of a ConfigMap is made.
func (m *Manifest) analyserFor(a Adapter) func() analyser {
	if !m.IsByTokens() {
		return func() analyser { return &percentages{config: m.wva} }
	}
	config := m.forPools(a.Variants)
	return func() analyser {
		return &tokens{analyser: wva.NewTokens(config), pools: a.Variants, queue: a.Queue}
	}
}

// window is how far back the analyser of a ConfigMap reads samples.
func (m *Manifest) window() time.Duration {
	if m.IsByTokens() {
		return wva.LengthsWindow
	}
	return wva.Window
}

// withoutQuery says why the manifest has no use for a query of an adapter.
func (m *Manifest) withoutQuery() string {
	if m.Kind == ScaledObject {
		return "the triggers of a ScaledObject have queries of their own"
	}
	var names []string
	for _, x := range m.metrics {
		names = append(names, x.name)
	}
	return "no metric of the HorizontalPodAutoscaler has this name; there are " + spelling.Quote(names)
}

func pick(all []source, indices []int) []source {
	var some []source
	for _, i := range indices {
		some = append(some, all[i])
	}
	return some
}

// commonPeriod is the longest period of which both are multiples.
func commonPeriod(a, b time.Duration) time.Duration {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
