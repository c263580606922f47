// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

func (l *loader) profilePath(i int) *field.Path {
	return l.path.Child("schedulingProfiles").Index(i)
}

func (l *loader) profileEntryPath(i, j int) *field.Path {
	return l.profilePath(i).Child("plugins").Index(j)
}

// checkProfiles checks names and references.
func (l *loader) checkProfiles() {
	seen := map[string]bool{}
	for i, profile := range l.doc.SchedulingProfiles {
		at := l.profilePath(i).Child("name")
		switch {
		case profile.Name == "":
			l.add(field.Required(at, "a profile must have a name"))
		case seen[profile.Name]:
			l.add(field.Duplicate(at, profile.Name))
		}
		seen[profile.Name] = true
		for j, entry := range profile.Plugins {
			l.refer(entry.PluginRef, 0, "", l.profileEntryPath(i, j).Child("pluginRef"))
		}
	}
}

// defaultScheduling completes profiles, handler, pickers and weights.
func (l *loader) defaultScheduling() {
	if len(l.doc.SchedulingProfiles) == 0 {
		l.doc.SchedulingProfiles, l.madeProfile = []profile{l.profileOfAll()}, true
	}
	if len(l.doc.SchedulingProfiles) == 1 && l.firstWith(profileHandlerRole) == nil {
		l.create(singleProfileHandlerType)
	}
	picker := l.firstWith(pickerRole)
	if picker == nil {
		picker = l.create(maxScorePickerType)
	}
	for i := range l.doc.SchedulingProfiles {
		l.completeProfile(i, picker)
	}
}

// defaultProfile is the name of the profile of a document without any.
const defaultProfile = "default"

// profileOfAll is the profile of a document without any: all that a profile can
// hold, in the order of the document, where the EPP's order is undefined.
func (l *loader) profileOfAll() profile {
	all := profile{Name: defaultProfile}
	for _, p := range l.plugins {
		if p.has(profileRoles) {
			all.Plugins = append(all.Plugins, profileEntry{PluginRef: p.Name})
		}
	}
	return all
}

// firstWith returns the first plugin with a role. Of several pickers the EPP
// takes an arbitrary one as the default.
func (l *loader) firstWith(role roles) *plugin {
	for _, p := range l.plugins {
		if p.has(role) {
			return p
		}
	}
	return nil
}

func (l *loader) completeProfile(i int, picker *plugin) {
	profile := &l.doc.SchedulingProfiles[i]
	picked := false
	for j := range profile.Plugins {
		entry := &profile.Plugins[j]
		p := l.byName[entry.PluginRef]
		switch {
		case p.has(scorerRole):
			l.defaultWeight(entry, l.profileEntryPath(i, j))
		case entry.Weight != nil:
			l.warn(l.profileEntryPath(i, j).Child("weight"), "no effect: a %s is not a scorer", p.Type)
			entry.Weight = nil
		}
		picked = picked || p.has(pickerRole)
	}
	if !picked {
		profile.Plugins = append(profile.Plugins, profileEntry{PluginRef: picker.Name})
	}
}

func (l *loader) defaultWeight(entry *profileEntry, at *field.Path) {
	if entry.Weight == nil {
		one := 1.0
		entry.Weight = &one
	}
	switch weight := *entry.Weight; {
	case weight == 0:
		l.warn(at.Child("weight"), "is 0: the scorer counts for nothing")
	case weight < 0:
		l.warn(at.Child("weight"), "is negative: what the scorer likes is avoided")
	}
}

// checkPickers checks that no profile has two.
func (l *loader) checkPickers() {
	for i, profile := range l.doc.SchedulingProfiles {
		var picker *plugin
		for j, entry := range profile.Plugins {
			p := l.byName[entry.PluginRef]
			if !p.has(pickerRole) {
				continue
			}
			if picker != nil {
				at := l.profileEntryPath(i, j).Child("pluginRef")
				if l.madeProfile {
					at = p.path
				}
				l.add(field.Invalid(at, p.Name, fmt.Sprintf("profile %q has a picker already, %s; a profile has one", profile.Name, picker.Name)))
			}
			picker = p
		}
	}
}

// checkProfileHandler checks that there is one and that it can handle what
// there is.
func (l *loader) checkProfileHandler() {
	var handler *plugin
	for _, p := range l.plugins {
		if !p.has(profileHandlerRole) {
			continue
		}
		if handler != nil {
			l.add(field.Invalid(p.path, p.Name, fmt.Sprintf("there is a profile handler already, %s; there can be one", handler.Name)))
		}
		handler = p
	}
	if n := len(l.doc.SchedulingProfiles); n > 1 && (handler == nil || handler.kind.stages == nil) {
		detail := "several profiles need a profile handler, and there is none"
		if handler != nil {
			detail = fmt.Sprintf("a %s cannot handle several profiles", handler.Type)
		}
		l.add(field.Invalid(l.path.Child("schedulingProfiles"), n, detail))
	}
}

// warnOfUnused warns of what stands in the document and does nothing.
func (l *loader) warnOfUnused(c *Config) {
	for _, p := range l.plugins {
		if !p.created && p.kind.roles&profileRoles != 0 && p.kind.roles&saturationDetectorRole == 0 && !c.inProfile(p) {
			l.warn(p.path, "no effect: %s is in no scheduling profile", p.Name)
		}
	}
	for i, profile := range l.doc.SchedulingProfiles {
		if !l.stages.runs(profile.Name) {
			l.warn(l.profilePath(i), "no effect: %s never runs this profile", l.firstWith(profileHandlerRole).Type)
		}
		for j, entry := range profile.Plugins {
			if p := l.byName[entry.PluginRef]; !p.has(profileRoles) {
				l.warn(l.profileEntryPath(i, j), "no effect in a profile: a %s is neither filter nor scorer nor picker", p.Type)
			}
		}
	}
}
