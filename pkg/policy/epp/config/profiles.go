// SPDX-License-Identifier: Apache-2.0

package config

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// A profileLoader completes and checks the scheduling profiles.
type profileLoader struct{ *Loader }

func (l profileLoader) profilePath(i int) *field.Path {
	return l.path.Child("schedulingProfiles").Index(i)
}

func (l profileLoader) profileEntryPath(i, j int) *field.Path {
	return l.profilePath(i).Child("plugins").Index(j)
}

// checkProfiles checks names and references, those to names that are asked for, and
// reports whether all are right. The oldest version wants all of them spelled out.
func (l profileLoader) checkProfiles(asked func(name string) bool) bool {
	l.step = profilesStep
	before := len(l.Faults)
	spelledOut := l.Dialect.Framework < version.GIE10
	if spelledOut && len(l.Doc.SchedulingProfiles) == 0 {
		l.Add(field.Required(l.path.Child("schedulingProfiles"), "there must be at least one"))
	}
	seen := map[string]bool{}
	for i, profile := range l.Doc.SchedulingProfiles {
		at := l.profilePath(i).Child("name")
		switch {
		case profile.Name == "":
			l.Add(field.Required(at, "a profile must have a name"))
		case seen[profile.Name]:
			l.Add(field.Duplicate(at, profile.Name))
		}
		seen[profile.Name] = true
		if spelledOut && len(profile.Plugins) == 0 {
			l.Add(field.Required(l.profilePath(i).Child("plugins"), "a profile must have at least one plugin"))
		}
		for j, entry := range profile.Plugins {
			if asked(entry.PluginRef) {
				l.refer(entry.PluginRef, 0, "", l.profileEntryPath(i, j).Child("pluginRef"))
			}
		}
	}
	return len(l.Faults) == before
}

func anyName(string) bool { return true }

// madeByDefault are the types of which the EPP makes a plugin where the document has
// none, in some version: before it looks at what profiles refer to.
var madeByDefault = []string{
	SingleProfileHandlerType, MaxScorePickerType,
	FCFSOrderingPolicyType, GlobalStrictFairnessPolicyType, StaticUsageLimitPolicyType,
	UtilizationDetectorType, MetricsDataSourceType, CoreMetricsExtractorType,
}

// neverMade reports whether a name cannot be that of a plugin which the EPP has yet to
// make. Parsers are made by whatever type they are listed.
func (l profileLoader) neverMade(name string) bool {
	t := l.types.Lookup(l.Dialect, name)
	return l.ByName[name] != nil || t == nil || t.Roles&ParserRole == 0 && !slices.Contains(madeByDefault, name)
}

// noticeWeights is about what has been made since the profiles were completed: none
// of it is a scorer.
func (l profileLoader) noticeWeights() {
	for i := range l.Doc.SchedulingProfiles {
		for j := range l.Doc.SchedulingProfiles[i].Plugins {
			if entry := &l.Doc.SchedulingProfiles[i].Plugins[j]; !l.ByName[entry.PluginRef].Has(ScorerRole) {
				l.noticeWeight(entry, l.profileEntryPath(i, j))
			}
		}
	}
}

// defaultScheduling completes profiles, handler, pickers and weights.
func (l profileLoader) defaultScheduling() {
	if l.Dialect.Framework < version.GIE10 {
		l.checkWeights()
		return
	}
	if len(l.Doc.SchedulingProfiles) == 0 {
		l.Doc.SchedulingProfiles, l.madeProfile = []Profile{l.profileOfAll()}, true
	}
	if len(l.Doc.SchedulingProfiles) == 1 && l.FirstWith(ProfileHandlerRole) == nil {
		l.create(SingleProfileHandlerType)
	}
	picker := l.FirstWith(PickerRole)
	if picker == nil {
		picker = l.create(MaxScorePickerType)
	}
	for i := range l.Doc.SchedulingProfiles {
		l.completeProfile(i, picker)
	}
}

// checkWeights is for the version without a default weight.
func (l profileLoader) checkWeights() {
	l.step = pickersStep
	for i, profile := range l.Doc.SchedulingProfiles {
		for j := range profile.Plugins {
			entry := &profile.Plugins[j]
			switch at := l.profileEntryPath(i, j); {
			case !l.ByName[entry.PluginRef].Has(ScorerRole):
				l.noticeWeight(entry, at)
			case entry.Weight == nil:
				l.Add(field.Required(at.Child("weight"), "a scorer must have a weight"))
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
func (l profileLoader) profileOfAll() Profile {
	all := Profile{Name: defaultProfile}
	for _, p := range l.Plugins {
		if p.Has(profileRoles) {
			all.Plugins = append(all.Plugins, profileEntry{PluginRef: p.Name})
		}
	}
	return all
}

// FirstWith returns the first plugin with a role. Of several pickers the EPP
// takes an arbitrary one as the default.
func (l *Loader) FirstWith(role Roles) *Plugin {
	for _, p := range l.Plugins {
		if p.Has(role) {
			return p
		}
	}
	return nil
}

func (l profileLoader) completeProfile(i int, picker *Plugin) {
	profile := &l.Doc.SchedulingProfiles[i]
	picked := false
	for j := range profile.Plugins {
		entry, at := &profile.Plugins[j], l.profileEntryPath(i, j)
		p := l.ByName[entry.PluginRef]
		switch {
		case p == nil: // not made yet
			continue
		case !p.Has(ScorerRole):
			l.noticeWeight(entry, at)
		case picked && entry.Weight == nil && l.Dialect.Framework < version.GIE13 && l.madeProfile:
			l.Notice(l.ByName[entry.PluginRef].path, "crash", "the EPP orders the profile that it makes at random, and crashes where a scorer comes behind the picker")
			l.defaultWeight(entry, at)
		case picked && entry.Weight == nil && l.Dialect.Framework < version.GIE13:
			l.addAt(pickersStep, field.Required(at.Child("weight"), "a scorer behind the picker must have a weight: the EPP forgets its default there, and crashes"))
		default:
			l.defaultWeight(entry, at)
		}
		picked = picked || p.Has(PickerRole)
	}
	if !picked {
		profile.Plugins = append(profile.Plugins, profileEntry{PluginRef: picker.Name})
	}
}

// noticeWeight takes the weight of what is no scorer away.
func (l profileLoader) noticeWeight(entry *profileEntry, at *field.Path) {
	if entry.Weight != nil {
		l.Notice(at.Child("weight"), "weight-on-non-scorer", "no effect: a %s is not a scorer", l.ByName[entry.PluginRef].Type)
		entry.Weight = nil
	}
}

func (l profileLoader) defaultWeight(entry *profileEntry, at *field.Path) {
	if entry.Weight == nil {
		one := 1.0
		entry.Weight = &one
	}
	switch weight := *entry.Weight; {
	case weight == 0:
		l.Notice(at.Child("weight"), "weight-not-positive", "is 0: the scorer counts for nothing")
	case weight < 0:
		l.Notice(at.Child("weight"), "weight-not-positive", "is negative: the endpoints with the highest scores are avoided")
	}
}

// checkPickers checks that no profile has two.
func (l profileLoader) checkPickers() {
	l.step = pickersStep
	for i, profile := range l.Doc.SchedulingProfiles {
		var picker *Plugin
		for j, entry := range profile.Plugins {
			p := l.ByName[entry.PluginRef]
			if !p.Has(PickerRole) {
				continue
			}
			if picker != nil {
				at := l.profileEntryPath(i, j).Child("pluginRef")
				if l.madeProfile {
					at = p.path
				}
				l.Add(field.Invalid(at, p.Name, fmt.Sprintf("profile %q has a picker already, %s; a profile has one", profile.Name, picker.Name)))
			}
			picker = p
		}
	}
}

// checkProfileHandler checks that there is one, and that it is not the one for a
// single profile where there are several.
func (l profileLoader) checkProfileHandler() {
	l.step = handlersStep
	var handler *Plugin
	for _, p := range l.Plugins {
		if !p.Has(ProfileHandlerRole) {
			continue
		}
		if handler != nil {
			l.Add(field.Invalid(p.path, p.Name, fmt.Sprintf("there is a profile handler already, %s; there can be one", handler.Name)))
		}
		handler = p
	}
	profiles, at := len(l.Doc.SchedulingProfiles), l.path.Child("schedulingProfiles")
	switch {
	case handler == nil && profiles > 1:
		l.Add(field.Invalid(at, profiles, "several profiles need a profile handler, and there is none"))
	case handler == nil:
		l.Add(field.Required(l.path.Child("plugins"), "there must be a profile handler, such as "+SingleProfileHandlerType))
	case handler.Type == SingleProfileHandlerType && profiles > 1 && l.Dialect.Framework >= version.GIE11:
		l.Add(field.Invalid(at, profiles, fmt.Sprintf("a %s cannot handle several profiles", handler.Type)))
	}
}

// noticeUnused is about what stands in the document and does nothing.
func (l profileLoader) noticeUnused(c *Config) {
	for _, p := range l.Plugins {
		if !p.created && p.Kind.Roles&profileRoles != 0 && p.Kind.Roles&SaturationDetectorRole == 0 && !c.InProfile(p) {
			l.Notice(p.path, "unused-plugin", "no effect: %s is in no scheduling profile", p.Name)
		}
	}
	for i, profile := range l.Doc.SchedulingProfiles {
		switch {
		case !l.stages.mayRun(profile.Name):
			l.Notice(l.profilePath(i), "unreachable-profile", "no effect: %s never runs this profile", l.FirstWith(ProfileHandlerRole).Type)
		case l.stages.Encode == profile.Name && !l.stages.Runs(profile.Name, nil):
			l.Notice(l.profilePath(i), "not-followed", "not simulated: the EPP runs this profile for requests with images, audio or video, and simulated requests have none")
		}
		for j, entry := range profile.Plugins {
			if p := l.ByName[entry.PluginRef]; !p.Has(profileRoles) {
				l.Notice(l.profileEntryPath(i, j), "no-effect-in-profile", "no effect in a profile: a %s is neither filter nor scorer nor picker", p.Type)
			}
		}
	}
}
