// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Load reads an EndpointPickerConfig, YAML or JSON, as the EPP of that version
// would; an empty text is the EPP's built-in configuration. Versions are
// router-v0.10 (also meant by an empty version), router-v0.10.0 and
// router-main. Errors have the paths of the document's fields under path; as
// many as can be told apart are returned at once. A configuration that the
// real loader would refuse is refused, and so is one that needs what is not
// built here: those errors say "not built yet".
func Load(text []byte, version string, path *field.Path) (*Config, field.ErrorList) {
	d, err := parseVersion(version, path)
	if err != nil {
		return nil, field.ErrorList{err}
	}
	if len(text) == 0 {
		text = []byte(builtInConfig)
	}
	root, errs, ok := parseText(text, path)
	if !ok {
		return nil, errs
	}
	l := &loader{dialect: d, path: path, errs: errs, byName: map[string]*plugin{}}
	l.add(decodeStrict(root, &l.doc, path)...)
	return l.load()
}

// A loader follows the EPP's loader step by step.
type loader struct {
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
	// later holds the checks of parameters that refer to what may follow.
	later []func()

	errs     field.ErrorList
	warnings []string
}

func (l *loader) load() (*Config, field.ErrorList) {
	l.checkHeader()
	l.checkGates()
	l.makePlugins()
	for _, check := range l.later {
		check()
	}
	l.moveDeprecated()
	l.checkProfiles()
	if len(l.errs) > 0 {
		// What follows looks at what plugins are, and so would report faults
		// that are only consequences.
		return nil, l.errs
	}
	// The order of these is the EPP's: what a step makes, the next ones find.
	l.defaultScheduling()
	l.stages = l.stagesOf(l.firstWith(profileHandlerRole))
	l.defaultFlowControl()
	l.defaultParsers()
	l.defaultSaturationDetector()
	l.defaultDataLayer()
	l.checkPickers()
	l.checkProfileHandler()
	l.defaultProducers()
	l.checkHasSource()
	if len(l.errs) > 0 {
		return nil, l.errs
	}
	return l.config(), nil
}

func (l *loader) config() *Config {
	c := &Config{
		document: effective{
			APIVersion:         apiVersion,
			Kind:               configKind,
			FeatureGates:       spellOut(l.gates),
			Plugins:            l.plugins,
			SchedulingProfiles: l.doc.SchedulingProfiles,
			RequestHandler:     *l.doc.RequestHandler,
			FlowControl:        flowControl{SaturationDetector: l.doc.FlowControl.SaturationDetector},
			DataLayer:          *l.doc.DataLayer,
		},
		dialect:   l.dialect,
		stages:    l.stages,
		tokensOff: l.tokensOff(),
		scraped:   l.scraped(),
	}
	l.warnOfUnused(c)
	c.warnings = l.warnings
	return c
}

func (l *loader) checkHeader() {
	switch at := l.path.Child("apiVersion"); l.doc.APIVersion {
	case apiVersion:
	case deprecatedAPIVersion:
		l.warn(at, "%s is deprecated, use %s", deprecatedAPIVersion, apiVersion)
	case "":
		l.add(field.Required(at, "must be "+apiVersion))
	default:
		l.add(field.NotSupported(at, l.doc.APIVersion, []string{apiVersion, deprecatedAPIVersion}))
	}
	switch at := l.path.Child("kind"); l.doc.Kind {
	case configKind:
	case "":
		l.add(field.Required(at, "must be "+configKind))
	default:
		l.add(field.NotSupported(at, l.doc.Kind, []string{configKind}))
	}
}

// moveDeprecated puts deprecated fields where their successors live, unless
// those are set.
func (l *loader) moveDeprecated() {
	if l.doc.FlowControl == nil {
		l.doc.FlowControl = &flowControl{}
	}
	if old := l.doc.SaturationDetector; old != nil {
		l.warn(l.path.Child("saturationDetector"), "deprecated, use flowControl.saturationDetector")
		if l.doc.FlowControl.SaturationDetector == nil {
			l.doc.FlowControl.SaturationDetector, l.movedDetector = old, true
		}
	}
	if l.doc.RequestHandler == nil {
		l.doc.RequestHandler = &requestHandler{}
	}
	if old := l.doc.Parser; old != nil {
		l.warn(l.path.Child("parser"), "deprecated, use requestHandler.parsers")
		if len(l.doc.RequestHandler.Parsers) == 0 {
			l.doc.RequestHandler.Parsers, l.movedParser = []reference{*old}, true
		}
	}
}

func (l *loader) add(errs ...*field.Error) { l.errs = append(l.errs, errs...) }

func (l *loader) warn(at *field.Path, format string, args ...any) {
	where := strings.TrimPrefix(at.String(), l.path.String())
	l.warnings = append(l.warnings, strings.TrimPrefix(where, ".")+": "+fmt.Sprintf(format, args...))
}
