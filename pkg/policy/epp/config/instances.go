// SPDX-License-Identifier: Apache-2.0

package config

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/document"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// A pluginLoader makes the plugins of the document.
type pluginLoader struct{ *Loader }

// makePlugins makes an instance of each plugin of the document. One of a type
// that the version does not have, or with bad parameters, is reported, and still
// there to be referred to.
func (l pluginLoader) makePlugins() {
	for i, entry := range l.Doc.Plugins {
		p := &Plugin{Name: entry.Name, Type: entry.Type, given: entry.Parameters, path: l.path.Child("plugins").Index(i)}
		SetDefault(&p.Name, p.Type)
		l.step = typesStep
		switch {
		case p.Type == "":
			l.Add(field.Required(p.path.Child("type"), "a plugin must have a type"))
		case l.ByName[p.Name] != nil:
			l.Add(field.Duplicate(p.path.Child("name"), p.Name))
		}
		if p.Type != "" {
			if p.Kind = l.types.Lookup(l.Dialect, p.Type); p.Kind == nil {
				l.Add(field.Invalid(p.path.Child("type"), p.Type, l.types.UnavailableReason(l.Dialect, p.Type)))
			} else {
				l.noticeStability(p)
				l.step = l.factories()
				l.readParameters(p, entry.Parameters)
			}
		}
		if l.ByName[p.Name] == nil {
			l.ByName[p.Name] = p
		}
		l.Plugins = append(l.Plugins, p)
		if l.Dialect.Framework < version.Router10 {
			l.checkReferences()
		}
	}
	l.checkReferences()
	for _, check := range l.Later {
		check()
	}
}

// checkReferences runs the checks of parameters that name other plugins. Up to
// router-v0.9 those have to come before; since then the EPP sorts them.
func (l *Loader) checkReferences() {
	l.step = l.factories()
	for _, check := range l.References {
		check()
	}
	l.References = nil
}

// factories is the step at which plugins are made: up to router-v0.9 each one
// before the next one's type is looked at.
func (l *Loader) factories() step {
	if l.Dialect.Framework < version.Router10 {
		return typesStep
	}
	return factoriesStep
}

func (l pluginLoader) noticeStability(p *Plugin) {
	if p.Kind.Alpha && l.Dialect.Framework >= version.Router10 {
		l.Notice(p.path.Child("type"), "alpha", "%s is Alpha: the EPP loads it with --allow-experimental-plugins only", p.Type)
	}
	if p.Kind.Successor != "" && l.Dialect.Framework >= version.Router09 {
		l.Notice(p.path.Child("type"), "deprecated", "%s is deprecated, use %s", p.Type, p.Kind.Successor)
	}
}

func (l pluginLoader) readParameters(p *Plugin, given document.Node) {
	at := p.path.Child("parameters")
	if p.Kind.Parameters == nil {
		if len(given.Fields) > 0 || given.Kind != document.NullNode && given.Kind != document.ObjectNode {
			l.Notice(at, "ignored-parameter", "no effect: %s takes no parameters", p.Type)
		}
		return
	}
	p.Parameters = l.defaultParameters(p.Kind)
	strict := l.Dialect.Framework >= version.Router09
	if !strict && given.Kind != document.NullNode && !document.ReadsParameters(p.Parameters, l.Dialect.Clock(p.Kind.Own)) {
		l.Notice(at, "ignored-parameter", "no effect: %s takes no parameters in %s", p.Type, l.Dialect.Name)
		given = document.Node{}
	}
	faults, ignored := document.DecodeParameters(given, p.Parameters, l.Dialect.Clock(p.Kind.Own), strict, at)
	for _, i := range ignored {
		l.notices = append(l.notices, Notice{Path: field.NewPath(i.Field), Rule: "ignored-parameter", Text: "ignored: " + i.Detail})
	}
	if len(faults) > 0 {
		s := l.factories()
		if p.Kind.Ordered && l.Dialect.Framework >= version.Router10 {
			s = parametersStep
		}
		l.addAt(s, faults...)
		return
	}
	l.checkParameters(p, at)
}

// versionedParameters are parameters whose defaults differ by release.
type versionedParameters interface{ Defaults(at version.Release) }

func (l *Loader) defaultParameters(t *PluginType) any {
	parameters := t.Parameters()
	if versioned, ok := parameters.(versionedParameters); ok {
		versioned.Defaults(l.Dialect.Clock(t.Own))
	}
	return parameters
}

func (l *Loader) checkParameters(p *Plugin, at *field.Path) {
	if checked, ok := p.Parameters.(checkedParameters); ok {
		l.Clock = l.Dialect.Clock(p.Kind.Own)
		checked.Check(l, at)
	}
}

// create makes an instance that the document does not list, named like its
// type, as the EPP does. Its place in the document, which it has not, goes by name.
func (l *Loader) create(typeName string) *Plugin {
	kind := l.types.Lookup(l.Dialect, typeName)
	if kind == nil {
		panic(fmt.Sprintf("epp: %s has no default plugin %q", l.Dialect.Name, typeName))
	}
	p := &Plugin{Name: typeName, Type: typeName, Kind: kind, created: true, path: l.path.Child("plugins").Key(typeName)}
	if kind.Parameters != nil {
		p.Parameters = l.defaultParameters(kind)
		l.checkParameters(p, p.path.Child("parameters"))
	}
	l.ByName[p.Name] = p
	l.Plugins = append(l.Plugins, p)
	return p
}

// ensure creates the instance unless there is one of that name.
func (l *Loader) ensure(typeName string) {
	if l.ByName[typeName] == nil {
		l.create(typeName)
	}
}

// refer checks a reference to a plugin that must have one of the roles; any
// plugin is valid if no roles are given.
func (l *Loader) refer(name string, allowed Roles, as string, at *field.Path) {
	p := l.ByName[name]
	switch {
	case name == "":
		l.Add(field.Required(at, "must name a plugin"))
	case p == nil:
		l.Add(field.Invalid(at, name, "no plugin has this name"+l.nearestName(name)))
	case allowed != 0 && !p.Has(allowed):
		l.Add(field.Invalid(at, name, fmt.Sprintf("a %s is not %s", p.Type, as)))
	}
}

// ReferInParameters is refer for what the EPP looks up when it makes a plugin.
// Up to router-v0.9 it finds those that come before; since then it sorts them
// first, and that fails for what there is not.
func (l *Loader) ReferInParameters(name string, allowed Roles, as string, at *field.Path) {
	if l.ByName[name] == nil && l.Dialect.Framework >= version.Router10 {
		l.step = orderStep
	}
	l.refer(name, allowed, as, at)
	l.step = l.factories()
}

// ReportCycle refuses the name of a plugin in parameters that depends on the one that names it.
func (l *Loader) ReportCycle(at *field.Path, name string) {
	l.addAt(orderStep, field.Invalid(at, name, "depends on this plugin, so that the EPP can make neither first"))
}

func (l *Loader) nearestName(name string) string {
	var names []string
	for _, p := range l.Plugins {
		names = append(names, p.Name)
	}
	return document.DidYouMean(name, names)
}
