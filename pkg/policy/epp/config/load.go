// SPDX-License-Identifier: Apache-2.0

package config

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/document"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// A Loader follows the EPP's loader step by step, of whatever version.
type Loader struct {
	types   Registry
	Dialect version.Dialect
	path    *field.Path
	Doc     Document

	// movedParser and movedDetector are whether deprecated fields were used.
	movedParser, movedDetector bool

	gates   []gate
	Plugins []*Plugin // those of the document, then those that the loader makes
	ByName  map[string]*Plugin
	// madeProfile is whether the document has no profile.
	madeProfile bool
	// stages are known once profiles and handler are.
	stages Stages
	// References hold the checks of parameters that name other plugins, later
	// those that ask what stands anywhere in the document.
	References, Later []func()

	// Clock is the release of the plugin whose parameters are checked.
	Clock version.Release

	step    step
	Faults  []fault
	notices []Notice
}

// judge says what comes of a document; ok is false without one that is worth a look.
func (l *Loader) judge(root document.Node, ok bool) LoadResult {
	v := LoadResult{Version: l.Dialect.Name}
	if ok {
		l.decode(root)
		v.Config = l.Load()
	}
	v.Errors, v.Stage = l.inOrder()
	v.Notices = l.notices
	if v.Config != nil {
		v.Experimental = l.experimental()
		v.Config.notices = l.notices
		for _, n := range l.notices {
			v.Config.warnings = append(v.Config.warnings, relative(n.Path, l.path)+": "+n.Text)
		}
	}
	return v
}

func (l *Loader) decode(root document.Node) {
	wrong, unknown := document.DecodeDocument(root, &l.Doc, l.Dialect, l.path)
	l.addAt(valueTypesStep, wrong...)
	l.addAt(strictStep, unknown...)
	l.unifyVersions()
	l.checkHeader()
}

// Load returns nil where the EPP would refuse.
func (l *Loader) Load() *Config {
	l.step = gatesStep
	profiles := profileLoader{l}
	gateLoader{l}.checkGates()
	l.moveDeprecated()
	pluginLoader{l}.makePlugins()
	switch {
	case l.Dialect.Framework < version.GIE10: // which makes nothing
		profiles.checkProfiles(anyName)
	case len(l.Faults) > 0:
		profiles.checkProfiles(profiles.neverMade)
	}
	if len(l.Faults) > 0 {
		// What follows looks at what plugins are, and so would report faults
		// that are only consequences.
		return nil
	}
	l.fillIn()
	if l.broken(startStep) {
		return nil
	}
	c := l.config()
	profiles.noticeUnused(c)
	return c
}

// fillIn follows the order of the EPP: what a step makes, the next ones find.
func (l *Loader) fillIn() {
	profiles, flow, parsers, data := profileLoader{l}, flowControlLoader{l}, parserLoader{l}, dataLayerLoader{l}
	profiles.defaultScheduling()
	l.stages = l.stagesOf(l.FirstWith(ProfileHandlerRole))
	flow.defaultFlowControl()
	parsers.defaultParsers()
	flow.defaultSaturationDetector()
	data.defaultDataLayer()
	if l.Dialect.Framework >= version.GIE10 && !profiles.checkProfiles(anyName) {
		return
	}
	profiles.noticeWeights()
	profiles.checkPickers()
	profiles.checkProfileHandler()
	flow.checkFlowControl()
	producerLoader{l}.defaultProducers()
	if len(l.Faults) > 0 {
		return
	}
	l.step = startStep
	data.checkDiscovery()
	data.checkSources()
}

// experimental reports whether some plugin is of stability Alpha, in versions
// that ask.
func (l *Loader) experimental() bool {
	if l.Dialect.Framework < version.Router10 {
		return false
	}
	return slices.ContainsFunc(l.Plugins, func(p *Plugin) bool { return p.Kind.Alpha })
}

func (l *Loader) config() *Config {
	c := &Config{
		Dialect: l.Dialect,
		Document: EffectiveDocument{
			APIVersion:         l.apiVersions()[0],
			Kind:               document.ConfigKind,
			FeatureGates:       gateLoader{l}.spellOutGates(),
			Plugins:            l.Plugins,
			SchedulingProfiles: l.Doc.SchedulingProfiles,
			RequestHandler:     *l.Doc.RequestHandler,
			FlowControl:        *l.Doc.FlowControl,
			DataLayer:          *l.Doc.DataLayer,
		},
		Stages:    l.stages,
		TokensOff: parserLoader{l}.tokensOff(),
		Scraped:   dataLayerLoader{l}.scraped(),
		gates:     l.gates,
	}
	if !c.FlowControlled() {
		c.Document.FlowControl = FlowControl{SaturationDetector: l.Doc.FlowControl.SaturationDetector}
	}
	// Where older versions have it.
	c.Document.SaturationDetector = l.Doc.FlowControl.SaturationDetector
	c.Document.SaturationLimits = l.Doc.SaturationLimits
	if parsers := l.Doc.RequestHandler.Parsers; len(parsers) > 0 {
		c.Document.Parser = &parsers[0]
	}
	if l.on(dataLayerGate) || l.Doc.Data != nil {
		c.Document.Data = l.Doc.DataLayer
	}
	return c
}

// apiVersions are those that the version knows, the one that it wants first.
func (l *Loader) apiVersions() []string {
	switch {
	case l.Dialect.Framework < version.SchedulerMay:
		return []string{deprecatedAPIVersion}
	case l.Dialect.Framework < version.Router11:
		return []string{document.APIVersion, deprecatedAPIVersion}
	}
	return []string{document.APIVersionV1, document.APIVersion, deprecatedAPIVersion}
}

// checkHeader takes an absent field for the right one, as the EPP does.
func (l *Loader) checkHeader() {
	known := l.apiVersions()
	SetDefault(&l.Doc.APIVersion, known[0])
	SetDefault(&l.Doc.Kind, document.ConfigKind)
	at := l.path.Child("apiVersion")
	switch {
	case slices.Contains(known, l.Doc.APIVersion):
	case isNewer(l.Doc.APIVersion):
		l.addAt(headerStep, field.Invalid(at, l.Doc.APIVersion, "is "+version.NewerThanKnown+"; "+l.Dialect.Name+" has "+strings.Join(known, " and ")))
	case l.Doc.APIVersion == document.APIVersionV1:
		l.addAt(headerStep, field.Invalid(at, l.Doc.APIVersion, l.Dialect.Name+" has "+strings.Join(known, " and ")+" only; router-v0.11 has it"))
	default:
		l.addAt(headerStep, field.NotSupported(at, l.Doc.APIVersion, known))
	}
	if l.Doc.APIVersion == deprecatedAPIVersion && known[0] != deprecatedAPIVersion {
		l.Notice(at, "deprecated", "%s is deprecated, use %s", l.Doc.APIVersion, known[0])
	}
	if l.Doc.Kind != document.ConfigKind {
		l.addAt(headerStep, field.NotSupported(l.path.Child("kind"), l.Doc.Kind, []string{document.ConfigKind}))
	}
}

// isNewer reports whether an apiVersion is one of llm-d's that no version here has.
func isNewer(version string) bool {
	return strings.HasPrefix(version, "llm-d.ai/") && version != document.APIVersion && version != document.APIVersionV1
}

// moveDeprecated puts deprecated fields where their successors live, unless
// those are set.
func (l *Loader) moveDeprecated() {
	if l.Doc.FlowControl == nil {
		l.Doc.FlowControl = &FlowControl{}
	}
	successors := l.Dialect.Framework >= version.Router09
	if old := l.Doc.SaturationDetector; old != nil {
		if successors {
			l.Notice(l.path.Child("saturationDetector"), "deprecated", "deprecated, use flowControl.saturationDetector")
		}
		if l.Doc.FlowControl.SaturationDetector == nil {
			l.Doc.FlowControl.SaturationDetector, l.movedDetector = old, true
		}
	}
	if l.Doc.RequestHandler == nil {
		l.Doc.RequestHandler = &requestHandler{}
	}
	if old := l.Doc.Parser; old != nil {
		if successors {
			l.Notice(l.path.Child("parser"), "deprecated", "deprecated, use requestHandler.parsers")
		}
		if len(l.Doc.RequestHandler.Parsers) == 0 {
			l.Doc.RequestHandler.Parsers, l.movedParser = []Reference{*old}, true
		}
	}
}

// relative is a path without the document's own.
func relative(at, document *field.Path) string {
	return strings.TrimPrefix(strings.TrimPrefix(at.String(), document.String()), ".")
}
