// SPDX-License-Identifier: Apache-2.0

package lint

var detectorBecomesFilter = Rule{
	ID: "detector-becomes-filter", Severity: Warning,
	Summary: "a saturation detector that is listed in a file without profiles",
	Why:     "Without profiles every filter that is listed filters, and detectors are filters too: endpoints over the detector's limits are dropped from every choice.",
	Fix:     "Write the profile, without the detector.",
	Source:  "the EPP's loader",
	check: func(p *pass) {
		if len(items(p.written("schedulingProfiles"))) > 0 {
			return
		}
		for _, plugin := range p.Plugins {
			if plugin.path != nil && plugin.is("saturation detector") && p.inProfile(plugin) {
				p.report(plugin.path, "%s also filters: it is in the profile that the EPP makes of all that is listed", plugin.Name)
			}
		}
	},
}
