// SPDX-License-Identifier: Apache-2.0

package lint

var detectorBecomesFilter = Rule{
	ID: "detector-becomes-filter", Severity: Warning,
	Summary: "a saturation detector that is listed in a file without profiles",
	Why:     "Without profiles, every listed filter filters. Detectors are filters too, so every choice excludes the endpoints above the detector's limits.",
	Fix:     "Add a profile without the detector.",
	Source:  "the EPP's loader",
	check: func(p *pass) {
		if len(items(p.written("schedulingProfiles"))) > 0 {
			return
		}
		for _, plugin := range p.Plugins {
			if plugin.path != nil && plugin.is("saturation detector") && p.inProfile(plugin) {
				p.report(plugin.path, "%s also filters: the EPP creates a profile from all listed plugins", plugin.Name)
			}
		}
	},
}
