// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// makePlugins makes an instance of each plugin of the document. One of a type
// that the version does not have, or with bad parameters, is reported, and still
// there to be referred to.
func (l *loader) makePlugins() {
	for i, entry := range l.doc.Plugins {
		p := &plugin{Name: entry.Name, Type: entry.Type, given: entry.Parameters, path: l.path.Child("plugins").Index(i)}
		setDefault(&p.Name, p.Type)
		l.step = typesStep
		switch {
		case p.Type == "":
			l.add(field.Required(p.path.Child("type"), "a plugin must have a type"))
		case l.byName[p.Name] != nil:
			l.add(field.Duplicate(p.path.Child("name"), p.Name))
		}
		if p.Type != "" {
			if p.kind = l.types.lookup(l.dialect, p.Type); p.kind == nil {
				l.add(field.Invalid(p.path.Child("type"), p.Type, l.types.whyNot(l.dialect, p.Type)))
			} else {
				l.noticeStability(p)
				l.step = l.factories()
				l.readParameters(p, entry.Parameters)
			}
		}
		if l.byName[p.Name] == nil {
			l.byName[p.Name] = p
		}
		l.plugins = append(l.plugins, p)
		if l.dialect.framework < router10 {
			l.checkReferences()
		}
	}
	l.checkReferences()
	for _, check := range l.later {
		check()
	}
}

// checkReferences runs the checks of parameters that name other plugins. Up to
// router-v0.9 those have to come before; since then the EPP sorts them.
func (l *loader) checkReferences() {
	l.step = l.factories()
	for _, check := range l.references {
		check()
	}
	l.references = nil
}

// factories is the step at which plugins are made: up to router-v0.9 each one
// before the next one's type is looked at.
func (l *loader) factories() step {
	if l.dialect.framework < router10 {
		return typesStep
	}
	return factoriesStep
}

func (l *loader) noticeStability(p *plugin) {
	if p.kind.alpha && l.dialect.framework >= router10 {
		l.notice(p.path.Child("type"), "alpha", "%s is Alpha: the EPP loads it with --allow-experimental-plugins only", p.Type)
	}
	if p.kind.successor != "" && l.dialect.framework >= router09 {
		l.notice(p.path.Child("type"), "deprecated", "%s is deprecated, use %s", p.Type, p.kind.successor)
	}
}

func (l *loader) readParameters(p *plugin, given node) {
	at := p.path.Child("parameters")
	if p.kind.parameters == nil {
		if len(given.fields) > 0 || given.kind != nullNode && given.kind != objectNode {
			l.notice(at, "ignored-parameter", "no effect: %s takes no parameters", p.Type)
		}
		return
	}
	p.Parameters = l.defaultParameters(p.kind)
	strict := l.dialect.framework >= router09
	if !strict && given.kind != nullNode && !readsParameters(p.Parameters, l.dialect.clock(p.kind.own)) {
		l.notice(at, "ignored-parameter", "no effect: %s takes no parameters in %s", p.Type, l.dialect.name)
		given = node{}
	}
	faults, ignored := decodeParameters(given, p.Parameters, l.dialect.clock(p.kind.own), strict, at)
	for _, i := range ignored {
		l.notices = append(l.notices, Notice{Path: field.NewPath(i.Field), Rule: "ignored-parameter", Text: "ignored: " + i.Detail})
	}
	if len(faults) > 0 {
		s := l.factories()
		if p.kind.ordered && l.dialect.framework >= router10 {
			s = parametersStep
		}
		l.addAt(s, faults...)
		return
	}
	l.checkParameters(p, at)
}

// versionedParameters are parameters whose defaults differ by release.
type versionedParameters interface{ defaults(at release) }

func (l *loader) defaultParameters(t *pluginType) any {
	parameters := t.parameters()
	if versioned, ok := parameters.(versionedParameters); ok {
		versioned.defaults(l.dialect.clock(t.own))
	}
	return parameters
}

func (l *loader) checkParameters(p *plugin, at *field.Path) {
	if checked, ok := p.Parameters.(checkedParameters); ok {
		l.clock = l.dialect.clock(p.kind.own)
		checked.check(l, at)
	}
}

// create makes an instance that the document does not list, named like its
// type, as the EPP does. Its place in the document, which it has not, goes by name.
func (l *loader) create(typeName string) *plugin {
	kind := l.types.lookup(l.dialect, typeName)
	if kind == nil {
		panic(fmt.Sprintf("epp: %s has no default plugin %q", l.dialect.name, typeName))
	}
	p := &plugin{Name: typeName, Type: typeName, kind: kind, created: true, path: l.path.Child("plugins").Key(typeName)}
	if kind.parameters != nil {
		p.Parameters = l.defaultParameters(kind)
		l.checkParameters(p, p.path.Child("parameters"))
	}
	l.byName[p.Name] = p
	l.plugins = append(l.plugins, p)
	return p
}

// ensure creates the instance unless there is one of that name.
func (l *loader) ensure(typeName string) {
	if l.byName[typeName] == nil {
		l.create(typeName)
	}
}

// refer checks a reference to a plugin that must have one of the roles; any
// plugin will do where there are none.
func (l *loader) refer(name string, allowed roles, as string, at *field.Path) {
	p := l.byName[name]
	switch {
	case name == "":
		l.add(field.Required(at, "must name a plugin"))
	case p == nil:
		l.add(field.Invalid(at, name, "no plugin has this name"+l.nearestName(name)))
	case allowed != 0 && !p.has(allowed):
		l.add(field.Invalid(at, name, fmt.Sprintf("a %s is not %s", p.Type, as)))
	}
}

// referInParameters is refer for what the EPP looks up when it makes a plugin.
// Up to router-v0.9 it finds those that come before; since then it sorts them
// first, and that fails for what there is not.
func (l *loader) referInParameters(name string, allowed roles, as string, at *field.Path) {
	if l.byName[name] == nil && l.dialect.framework >= router10 {
		l.step = orderStep
	}
	l.refer(name, allowed, as, at)
	l.step = l.factories()
}

func (l *loader) nearestName(name string) string {
	var names []string
	for _, p := range l.plugins {
		names = append(names, p.Name)
	}
	return didYouMean(name, names)
}
