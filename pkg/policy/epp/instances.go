// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// makePlugins makes an instance of each plugin of the document. One of a type
// that is not built, or with bad parameters, is reported, and still there to be
// referred to.
func (l *loader) makePlugins() {
	for i, entry := range l.doc.Plugins {
		p := &plugin{Name: entry.Name, Type: entry.Type, path: l.path.Child("plugins").Index(i)}
		if p.Name == "" {
			p.Name = p.Type
		}
		switch {
		case p.Type == "":
			l.add(field.Required(p.path.Child("type"), "a plugin must have a type"))
		case l.byName[p.Name] != nil:
			l.add(field.Duplicate(p.path.Child("name"), p.Name))
		}
		if p.Type != "" {
			if p.kind = lookup(l.dialect, p.Type); p.kind == nil {
				l.add(field.Invalid(p.path.Child("type"), p.Type, whyNot(l.dialect, p.Type)))
			} else {
				l.warnOfStability(p)
				l.readParameters(p, entry.Parameters)
			}
		}
		if l.byName[p.Name] == nil {
			l.byName[p.Name] = p
		}
		l.plugins = append(l.plugins, p)
	}
}

func (l *loader) warnOfStability(p *plugin) {
	if p.kind.alpha {
		l.warn(p.path.Child("type"), "%s is Alpha: the EPP loads it with --allow-experimental-plugins only", p.Type)
	}
	if p.kind.successor != "" {
		l.warn(p.path.Child("type"), "%s is deprecated, use %s", p.Type, p.kind.successor)
	}
}

func (l *loader) readParameters(p *plugin, given node) {
	at := p.path.Child("parameters")
	if p.kind.parameters == nil {
		if len(given.fields) > 0 || given.kind != nullNode && given.kind != objectNode {
			l.warn(at, "no effect: %s takes no parameters", p.Type)
		}
		return
	}
	p.Parameters = p.kind.parameters()
	if errs := decodeParameters(given, p.Parameters, at); len(errs) > 0 {
		l.add(errs...)
		return
	}
	l.checkParameters(p, at)
}

func (l *loader) checkParameters(p *plugin, at *field.Path) {
	if checked, ok := p.Parameters.(checkedParameters); ok {
		checked.check(l, at)
	}
}

// create makes an instance that the document does not list, named like its
// type, as the EPP does.
func (l *loader) create(typeName string) *plugin {
	kind := lookup(l.dialect, typeName)
	if kind == nil {
		panic(fmt.Sprintf("epp: default plugin %q is not built", typeName))
	}
	p := &plugin{Name: typeName, Type: typeName, kind: kind, created: true, path: l.path.Child("plugins").Index(len(l.plugins))}
	if kind.parameters != nil {
		p.Parameters = kind.parameters()
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

func (l *loader) nearestName(name string) string {
	var names []string
	for _, p := range l.plugins {
		names = append(names, p.Name)
	}
	return didYouMean(name, names)
}
