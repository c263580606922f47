// SPDX-License-Identifier: Apache-2.0

package lint

import "k8s.io/apimachinery/pkg/util/validation/field"

var bandZeroMeansDefault = Rule{
	ID: "band-zero-means-default", Severity: Warning,
	Summary: "a priority band with maxRequests or maxBytes 0",
	Why:     "For the whole queue, 0 means no limit. For a band, 0 means the default of 5000 requests and 1 GB: a band always has a limit.",
	Fix:     "Set the limit that you intend.",
	Source:  "the EPP's flow control",
	check: func(p *pass) {
		if !p.gate("flowControl") {
			return
		}
		section := at("flowControl")
		for i := range items(p.written("flowControl", "priorityBands")) {
			p.zeroLimits(section.Child("priorityBands").Index(i))
		}
		for _, name := range []string{"defaultPriorityBand", "defaultNegativePriorityBand"} {
			p.zeroLimits(section.Child(name))
		}
	},
}

func (p *pass) zeroLimits(band *field.Path) {
	for _, name := range []string{"maxRequests", "maxBytes"} {
		path := band.Child(name)
		if n := locate(p.root, path.String()); n != nil && n.Value == name && text(valueAt(p.root, path.String())) == "0" {
			p.report(path, "0 means the default here, not unlimited")
		}
	}
}
