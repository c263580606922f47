// SPDX-License-Identifier: Apache-2.0

package lint

var pickerBecomesDefault = Rule{
	ID: "picker-becomes-default", Severity: Warning,
	Summary: "one picker that is listed, and a profile that names none",
	Why:     "A profile without a picker does not get max-score-picker where another picker is listed: it gets that one.",
	Fix:     "Refer to the picker that is meant in each profile.",
	Source:  "the EPP's loader",
	check: func(p *pass) {
		pickers := p.writtenPickers()
		if len(pickers) != 1 || pickers[0].Type == "max-score-picker" {
			return
		}
		for _, profile := range p.withoutPicker() {
			p.report(profile.path, "profile %s names no picker, and gets %s, not max-score-picker", profile.Name, pickers[0].Name)
		}
	},
}
