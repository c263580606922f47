// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

func (l *loader) profilePath(i int) *field.Path {
	return l.path.Child("schedulingProfiles").Index(i)
}

func (l *loader) profileEntryPath(i, j int) *field.Path {
	return l.profilePath(i).Child("plugins").Index(j)
}

// checkProfiles checks names and references, those to names that are asked for, and
// reports whether all are right. The oldest version wants all of them spelled out.
func (l *loader) checkProfiles(asked func(name string) bool) bool {
	l.step = profilesStep
	before := len(l.faults)
	spelledOut := l.dialect.framework < gie10
	if spelledOut && len(l.doc.SchedulingProfiles) == 0 {
		l.add(field.Required(l.path.Child("schedulingProfiles"), "there must be at least one"))
	}
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
		if spelledOut && len(profile.Plugins) == 0 {
			l.add(field.Required(l.profilePath(i).Child("plugins"), "a profile must have at least one plugin"))
		}
		for j, entry := range profile.Plugins {
			if asked(entry.PluginRef) {
				l.refer(entry.PluginRef, 0, "", l.profileEntryPath(i, j).Child("pluginRef"))
			}
		}
	}
	return len(l.faults) == before
}

func anyName(string) bool { return true }

// madeByDefault are the types of which the EPP makes a plugin where the document has
// none, in some version: before it looks at what profiles refer to.
var madeByDefault = []string{
	singleProfileHandlerType, maxScorePickerType,
	fcfsOrderingPolicyType, globalStrictFairnessPolicyType, staticUsageLimitPolicyType,
	utilizationDetectorType, metricsDataSourceType, coreMetricsExtractorType,
}

// neverMade reports whether a name cannot be that of a plugin which the EPP has yet to
// make. Parsers are made by whatever type they are listed.
func (l *loader) neverMade(name string) bool {
	t := l.types.lookup(l.dialect, name)
	return l.byName[name] != nil || t == nil || t.roles&parserRole == 0 && !slices.Contains(madeByDefault, name)
}

// noticeWeights is about what has been made since the profiles were completed: none
// of it is a scorer.
func (l *loader) noticeWeights() {
	for i := range l.doc.SchedulingProfiles {
		for j := range l.doc.SchedulingProfiles[i].Plugins {
			if entry := &l.doc.SchedulingProfiles[i].Plugins[j]; !l.byName[entry.PluginRef].has(scorerRole) {
				l.noticeWeight(entry, l.profileEntryPath(i, j))
			}
		}
	}
}

// defaultScheduling completes profiles, handler, pickers and weights.
func (l *loader) defaultScheduling() {
	if l.dialect.framework < gie10 {
		l.checkWeights()
		return
	}
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

// checkWeights is for the version without a default weight.
func (l *loader) checkWeights() {
	l.step = pickersStep
	for i, profile := range l.doc.SchedulingProfiles {
		for j := range profile.Plugins {
			entry := &profile.Plugins[j]
			switch at := l.profileEntryPath(i, j); {
			case !l.byName[entry.PluginRef].has(scorerRole):
				l.noticeWeight(entry, at)
			case entry.Weight == nil:
				l.add(field.Required(at.Child("weight"), "a scorer must have a weight"))
			default:
				l.defaultWeight(entry, at)
			}
		}
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
		entry, at := &profile.Plugins[j], l.profileEntryPath(i, j)
		p := l.byName[entry.PluginRef]
		switch {
		case p == nil: // not made yet
			continue
		case !p.has(scorerRole):
			l.noticeWeight(entry, at)
		case picked && entry.Weight == nil && l.dialect.framework < gie13 && l.madeProfile:
			l.notice(l.byName[entry.PluginRef].path, "crash", "the EPP orders the profile that it makes at random, and crashes where a scorer comes behind the picker")
			l.defaultWeight(entry, at)
		case picked && entry.Weight == nil && l.dialect.framework < gie13:
			l.addAt(pickersStep, field.Required(at.Child("weight"), "a scorer behind the picker must have a weight: the EPP forgets its default there, and crashes"))
		default:
			l.defaultWeight(entry, at)
		}
		picked = picked || p.has(pickerRole)
	}
	if !picked {
		profile.Plugins = append(profile.Plugins, profileEntry{PluginRef: picker.Name})
	}
}

// noticeWeight takes the weight of what is no scorer away.
func (l *loader) noticeWeight(entry *profileEntry, at *field.Path) {
	if entry.Weight != nil {
		l.notice(at.Child("weight"), "weight-on-non-scorer", "no effect: a %s is not a scorer", l.byName[entry.PluginRef].Type)
		entry.Weight = nil
	}
}

func (l *loader) defaultWeight(entry *profileEntry, at *field.Path) {
	if entry.Weight == nil {
		one := 1.0
		entry.Weight = &one
	}
	switch weight := *entry.Weight; {
	case weight == 0:
		l.notice(at.Child("weight"), "weight-not-positive", "is 0: the scorer counts for nothing")
	case weight < 0:
		l.notice(at.Child("weight"), "weight-not-positive", "is negative: what the scorer likes is avoided")
	}
}

// checkPickers checks that no profile has two.
func (l *loader) checkPickers() {
	l.step = pickersStep
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

// checkProfileHandler checks that there is one, and that it is not the one for a
// single profile where there are several.
func (l *loader) checkProfileHandler() {
	l.step = handlersStep
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
	profiles, at := len(l.doc.SchedulingProfiles), l.path.Child("schedulingProfiles")
	switch {
	case handler == nil && profiles > 1:
		l.add(field.Invalid(at, profiles, "several profiles need a profile handler, and there is none"))
	case handler == nil:
		l.add(field.Required(l.path.Child("plugins"), "there must be a profile handler, such as "+singleProfileHandlerType))
	case handler.Type == singleProfileHandlerType && profiles > 1 && l.dialect.framework >= gie11:
		l.add(field.Invalid(at, profiles, fmt.Sprintf("a %s cannot handle several profiles", handler.Type)))
	}
}

// handlesOne says where every request would fail because there are several
// profiles and the handler, though the EPP takes it, is for one.
func handlesOne(c *Config, _ *Cluster, p *plugin, at *field.Path) field.ErrorList {
	if n := len(c.document.SchedulingProfiles); n != 1 {
		return field.ErrorList{field.Invalid(at, p.Name, fmt.Sprintf("a %s cannot handle %d profiles, and every request would fail", p.Type, n))}
	}
	return nil
}

// noticeUnused is about what stands in the document and does nothing.
func (l *loader) noticeUnused(c *Config) {
	for _, p := range l.plugins {
		if !p.created && p.kind.roles&profileRoles != 0 && p.kind.roles&saturationDetectorRole == 0 && !c.inProfile(p) {
			l.notice(p.path, "unused-plugin", "no effect: %s is in no scheduling profile", p.Name)
		}
	}
	for i, profile := range l.doc.SchedulingProfiles {
		switch {
		case !l.stages.mayRun(profile.Name):
			l.notice(l.profilePath(i), "unreachable-profile", "no effect: %s never runs this profile", l.firstWith(profileHandlerRole).Type)
		case l.stages.encode == profile.Name && !l.stages.runs(profile.Name, nil):
			l.notice(l.profilePath(i), "not-followed", "not simulated: the EPP runs this profile for requests with images, audio or video, and simulated requests have none")
		}
		for j, entry := range profile.Plugins {
			if p := l.byName[entry.PluginRef]; !p.has(profileRoles) {
				l.notice(l.profileEntryPath(i, j), "no-effect-in-profile", "no effect in a profile: a %s is neither filter nor scorer nor picker", p.Type)
			}
		}
	}
}
