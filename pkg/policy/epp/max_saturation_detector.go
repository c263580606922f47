// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// maxSaturationDetector is as saturated as the most saturated one of other detectors. Where flow
// control asks for the endpoints of a stage, those are left out that stages has for other stages only; a
// stage that is left without a detector has the saturation 0, so that its load holds no request. All are
// asked where the endpoints are not told apart by stage. It filters no endpoints.
//
// Source: pkg/epp/framework/plugins/flowcontrol/saturationdetector/composite, of llm-d-router pull request
// 2827 and of September 2026, when stages were added.
var maxSaturationDetector = scheduler.Factory{
	PluginType: config.PluginType{
		Name:         "max-saturation-detector",
		Registration: version.GIE("router-v0.11.."),
		Roles:        config.SaturationDetectorRole,
		Parameters:   func() any { return &maxSaturationParameters{} },
		Ordered:      true,
		Treatment:    treatDetector,
	},
	NewDetector: func(b *scheduler.Builder, p *config.Plugin) scheduler.SaturationDetector {
		parameters := p.Parameters.(*maxSaturationParameters)
		m := &maxSaturation{}
		for _, name := range parameters.Detectors {
			child := b.Plugins[name]
			m.children = append(m.children, stagedDetector{
				SaturationDetector: b.Factory(child).NewDetector(b, child), covers: parameters.covers(name),
			})
		}
		return m
	},
}

// maxSaturationParameters name detectors and, by their names, the stages that they are for.
type maxSaturationParameters struct {
	Detectors []string            `json:"detectors,omitempty"`
	Stages    map[string][]string `json:"stages,omitempty"`
}

// stageNames are what parameters and metrics call stages.
var stageNames = [scheduler.Stages]string{"", config.PrefillProfile, config.DecodeProfile}

func (p *maxSaturationParameters) Check(l *config.Loader, path *field.Path) {
	at := path.Child("detectors")
	if len(p.Detectors) == 0 {
		l.Add(field.Required(at, "must name at least one saturation detector"))
	}
	for i, name := range p.Detectors {
		if slices.Contains(p.Detectors[:i], name) {
			l.Add(field.Duplicate(at.Index(i), name))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.Stages)) {
		p.checkStages(l, name, path.Child("stages").Key(name))
	}
	l.References = append(l.References, func() {
		for i, name := range p.Detectors {
			l.ReferInParameters(name, config.SaturationDetectorRole, "a saturation detector", at.Index(i))
			if p.isAskedBy(l.ByName[name], l.ByName, map[string]bool{}) {
				l.ReportCycle(at.Index(i), name)
			}
		}
	})
}

// isAskedBy reports whether a detector has these parameters, or asks one that does. seen are those
// that were looked at.
func (p *maxSaturationParameters) isAskedBy(detector *config.Plugin, all map[string]*config.Plugin, seen map[string]bool) bool {
	if detector == nil || seen[detector.Name] {
		return false
	}
	seen[detector.Name] = true
	parameters, ok := detector.Parameters.(*maxSaturationParameters)
	return ok && (parameters == p || slices.ContainsFunc(parameters.Detectors, func(name string) bool {
		return p.isAskedBy(all[name], all, seen)
	}))
}

func (p *maxSaturationParameters) checkStages(l *config.Loader, name string, at *field.Path) {
	if !slices.Contains(p.Detectors, name) {
		l.Add(field.Invalid(at, name, "is not among the detectors"))
	}
	if len(p.Stages[name]) == 0 {
		l.Add(field.Required(at, "must name a stage: prefill or decode"))
	}
	for i, stage := range p.Stages[name] {
		config.CheckOneOf(l, at.Index(i), stage, stageNames[scheduler.PrefillStage:])
	}
}

// covers says of each stage whether a detector is for it.
func (p *maxSaturationParameters) covers(name string) [scheduler.Stages]bool {
	stages, some := p.Stages[name]
	var covers [scheduler.Stages]bool
	for stage, called := range stageNames {
		covers[stage] = !some || called == "" || slices.Contains(stages, called)
	}
	return covers
}

// A stagedDetector is one of several.
type stagedDetector struct {
	scheduler.SaturationDetector
	covers [scheduler.Stages]bool
	// last are its saturations by stage.
	last [scheduler.Stages]float64
}

type maxSaturation struct{ children []stagedDetector }

func (m *maxSaturation) Saturation(c *scheduler.Cycle) float64 {
	greatest := 0.0
	for i := range m.children {
		if child := &m.children[i]; child.covers[c.Stage] {
			child.last[c.Stage] = child.SaturationDetector.Saturation(c)
			greatest = max(greatest, child.last[c.Stage])
		}
	}
	return greatest
}

// Export implements [scheduler.DetectorExporter].
func (m *maxSaturation) Export(to *policy.RouterMetrics) {
	for i := range m.children {
		last := &m.children[i].last
		to.RaiseDetector(i, policy.Saturation{Prefill: last[scheduler.PrefillStage], Decode: last[scheduler.DecodeStage]})
	}
}

// Vacate implements [scheduler.DetectorExporter].
func (m *maxSaturation) Vacate(stage scheduler.Stage) {
	for i := range m.children {
		m.children[i].last[stage] = 0
	}
}

// A ScopedDetector is one of the detectors of a max-saturation-detector.
type ScopedDetector struct {
	Name string
	// Prefill and Decode say that it is for the stage.
	Prefill, Decode bool
}

// ScopedDetectors are those that a configuration's saturation detector has; nil where it has no others.
func ScopedDetectors(c *config.Config) []ScopedDetector {
	ref := c.Document.FlowControl.SaturationDetector
	if ref == nil {
		return nil
	}
	var all []ScopedDetector
	if p, ok := c.Plugin(ref.PluginRef).Parameters.(*maxSaturationParameters); ok {
		for _, name := range p.Detectors {
			covers := p.covers(name)
			all = append(all, ScopedDetector{name, covers[scheduler.PrefillStage], covers[scheduler.DecodeStage]})
		}
	}
	return all
}

// detects reports whether a plugin is the saturation detector of a configuration, or one that it asks.
func detects(c *config.Config, p *config.Plugin) bool {
	return asks(c, c.Document.FlowControl.SaturationDetector.PluginRef, p.Name)
}

// asks reports whether a detector is another one, or asks it.
func asks(c *config.Config, name, other string) bool {
	if name == other {
		return true
	}
	parameters, ok := c.Plugin(name).Parameters.(*maxSaturationParameters)
	return ok && slices.ContainsFunc(parameters.Detectors, func(child string) bool { return asks(c, child, other) })
}
