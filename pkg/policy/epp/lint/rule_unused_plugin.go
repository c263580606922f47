// SPDX-License-Identifier: Apache-2.0

package lint

import "slices"

var unusedPlugin = Rule{
	ID: "unused-plugin", Severity: Warning,
	Summary: "a scorer or filter in no profile, or a detector or decider without a reference",
	Why:     "The EPP creates the plugin and never uses it. Only a file without profiles uses every listed filter and scorer.",
	Fix:     "Add a reference to the plugin, or delete the plugin.",
	Source:  "the EPP's loader",
	check: func(p *pass) {
		for _, plugin := range p.Plugins {
			if plugin.path == nil || !plugin.onlyUsedByName() || p.inProfile(plugin) || p.refersTo(plugin) {
				continue
			}
			p.report(plugin.path, "%s is in no scheduling profile and has no other reference", plugin.Name)
		}
	},
}

// onlyUsedByName reports whether the plugin does nothing unless another part of
// the configuration names it.
func (p *plugin) onlyUsedByName() bool {
	named := p.is("filter") || p.is("scorer") || p.is("saturation detector") || p.is("decider")
	return named && !p.is("producer") && !p.is("picker") && !p.is("observer") && !p.is("headers")
}

// refersTo reports whether a section or another plugin's parameters hold the
// plugin's name.
func (v *view) refersTo(of *plugin) bool {
	if v.FlowControl != nil && v.FlowControl.SaturationDetector.PluginRef == of.Name || v.SaturationDetector.PluginRef == of.Name {
		return true
	}
	return slices.ContainsFunc(v.Plugins, func(p *plugin) bool { return p != of && containsText(p.Parameters, of.Name) })
}

func containsText(value any, word string) bool {
	switch value := value.(type) {
	case string:
		return value == word
	case []any:
		for _, item := range value {
			if containsText(item, word) {
				return true
			}
		}
	case map[string]any:
		for _, item := range value {
			if containsText(item, word) {
				return true
			}
		}
	}
	return false
}
