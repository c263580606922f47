// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// A loader follows the EPP's loader step by step, of whatever version.
type loader struct {
	types   registry
	dialect dialect
	path    *field.Path
	doc     document

	// movedParser and movedDetector are whether deprecated fields were used.
	movedParser, movedDetector bool

	gates   []gate
	plugins []*plugin // those of the document, then those that the loader makes
	byName  map[string]*plugin
	// madeProfile is whether the document has no profile.
	madeProfile bool
	// stages are known once profiles and handler are.
	stages stages
	// references hold the checks of parameters that name other plugins, later
	// those that ask what stands anywhere in the document.
	references, later []func()

	// clock is the release of the plugin whose parameters are checked.
	clock release

	step    step
	faults  []fault
	notices []Notice
}

func (l *loader) judge(text []byte) Verdict {
	if len(text) == 0 {
		text = l.builtIn()
	}
	v := Verdict{Version: l.dialect.name}
	if l.read(text) {
		v.Config = l.load()
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

// read reports false where there is no document worth a look at.
func (l *loader) read(text []byte) bool {
	root, ok := l.parse(text)
	if !ok {
		return false
	}
	wrong, unknown := decodeDocument(root, &l.doc, l.dialect, l.path)
	l.addAt(valueTypesStep, wrong...)
	l.addAt(strictStep, unknown...)
	l.settle()
	l.checkHeader()
	return true
}

// load returns nil where the EPP would refuse.
func (l *loader) load() *Config {
	l.step = gatesStep
	l.checkGates()
	l.moveDeprecated()
	l.makePlugins()
	switch {
	case l.dialect.framework < gie10: // which makes nothing
		l.checkProfiles(anyName)
	case len(l.faults) > 0:
		l.checkProfiles(l.neverMade)
	}
	if len(l.faults) > 0 {
		// What follows looks at what plugins are, and so would report faults
		// that are only consequences.
		return nil
	}
	l.fillIn()
	if l.broken(startStep) {
		return nil
	}
	c := l.config()
	l.noticeUnused(c)
	return c
}

// fillIn follows the order of the EPP: what a step makes, the next ones find.
func (l *loader) fillIn() {
	l.defaultScheduling()
	l.stages = l.stagesOf(l.firstWith(profileHandlerRole))
	l.defaultFlowControl()
	l.defaultParsers()
	l.defaultSaturationDetector()
	l.defaultDataLayer()
	if l.dialect.framework >= gie10 && !l.checkProfiles(anyName) {
		return
	}
	l.noticeWeights()
	l.checkPickers()
	l.checkProfileHandler()
	l.checkFlowControl()
	l.defaultProducers()
	if len(l.faults) > 0 {
		return
	}
	l.step = startStep
	l.checkDiscovery()
	l.checkSources()
}

// experimental reports whether some plugin is of stability Alpha, in versions
// that ask.
func (l *loader) experimental() bool {
	if l.dialect.framework < router10 {
		return false
	}
	for _, p := range l.plugins {
		if p.kind.alpha {
			return true
		}
	}
	return false
}

func (l *loader) config() *Config {
	c := &Config{
		dialect: l.dialect,
		document: effective{
			APIVersion:         l.apiVersions()[0],
			Kind:               configKind,
			FeatureGates:       l.spellOutGates(),
			Plugins:            l.plugins,
			SchedulingProfiles: l.doc.SchedulingProfiles,
			RequestHandler:     *l.doc.RequestHandler,
			FlowControl:        *l.doc.FlowControl,
			DataLayer:          *l.doc.DataLayer,
		},
		stages:    l.stages,
		tokensOff: l.tokensOff(),
		scraped:   l.scraped(),
		gates:     l.gates,
	}
	if !c.flowControlled() {
		c.document.FlowControl = flowControl{SaturationDetector: l.doc.FlowControl.SaturationDetector}
	}
	// Where older versions have it.
	c.document.SaturationDetector = l.doc.FlowControl.SaturationDetector
	c.document.SaturationLimits = l.doc.SaturationLimits
	if parsers := l.doc.RequestHandler.Parsers; len(parsers) > 0 {
		c.document.Parser = &parsers[0]
	}
	if l.on(dataLayerGate) || l.doc.Data != nil {
		c.document.Data = l.doc.DataLayer
	}
	return c
}

// apiVersions are those that the version knows, the one that it wants first.
func (l *loader) apiVersions() []string {
	switch {
	case l.dialect.framework < schedulerMay:
		return []string{deprecatedAPIVersion}
	case l.dialect.framework < router11:
		return []string{apiVersion, deprecatedAPIVersion}
	}
	return []string{apiVersionV1, apiVersion, deprecatedAPIVersion}
}

// checkHeader takes an absent field for the right one, as the EPP does.
func (l *loader) checkHeader() {
	known := l.apiVersions()
	setDefault(&l.doc.APIVersion, known[0])
	setDefault(&l.doc.Kind, configKind)
	at := l.path.Child("apiVersion")
	switch {
	case slices.Contains(known, l.doc.APIVersion):
	case isNewer(l.doc.APIVersion):
		l.addAt(headerStep, field.Invalid(at, l.doc.APIVersion, "is "+NewerThanKnown+"; "+l.dialect.name+" has "+strings.Join(known, " and ")))
	case l.doc.APIVersion == apiVersionV1:
		l.addAt(headerStep, field.Invalid(at, l.doc.APIVersion, l.dialect.name+" has "+strings.Join(known, " and ")+" only; router-v0.11 has it"))
	default:
		l.addAt(headerStep, field.NotSupported(at, l.doc.APIVersion, known))
	}
	if l.doc.APIVersion == deprecatedAPIVersion && known[0] != deprecatedAPIVersion {
		l.notice(at, "deprecated", "%s is deprecated, use %s", l.doc.APIVersion, known[0])
	}
	if l.doc.Kind != configKind {
		l.addAt(headerStep, field.NotSupported(l.path.Child("kind"), l.doc.Kind, []string{configKind}))
	}
}

// isNewer reports whether an apiVersion is one of llm-d's that no version here has.
func isNewer(version string) bool {
	return strings.HasPrefix(version, "llm-d.ai/") && version != apiVersion && version != apiVersionV1
}

// moveDeprecated puts deprecated fields where their successors live, unless
// those are set.
func (l *loader) moveDeprecated() {
	if l.doc.FlowControl == nil {
		l.doc.FlowControl = &flowControl{}
	}
	successors := l.dialect.framework >= router09
	if old := l.doc.SaturationDetector; old != nil {
		if successors {
			l.notice(l.path.Child("saturationDetector"), "deprecated", "deprecated, use flowControl.saturationDetector")
		}
		if l.doc.FlowControl.SaturationDetector == nil {
			l.doc.FlowControl.SaturationDetector, l.movedDetector = old, true
		}
	}
	if l.doc.RequestHandler == nil {
		l.doc.RequestHandler = &requestHandler{}
	}
	if old := l.doc.Parser; old != nil {
		if successors {
			l.notice(l.path.Child("parser"), "deprecated", "deprecated, use requestHandler.parsers")
		}
		if len(l.doc.RequestHandler.Parsers) == 0 {
			l.doc.RequestHandler.Parsers, l.movedParser = []reference{*old}, true
		}
	}
}

// relative is a path without the document's own.
func relative(at, document *field.Path) string {
	return strings.TrimPrefix(strings.TrimPrefix(at.String(), document.String()), ".")
}
