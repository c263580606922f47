// SPDX-License-Identifier: Apache-2.0

package lint

var pickerBecomesDefault = Rule{
	ID: "picker-becomes-default", Severity: Warning,
	Summary: "one listed picker, and a profile that names none",
	Why:     "A profile without a picker gets the listed picker, not max-score-picker.",
	Fix:     "Name the picker in each profile.",
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
