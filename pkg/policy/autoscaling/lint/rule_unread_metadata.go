// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/manifest"
	"windtunnel.dev/windtunnel/pkg/policy/epp/lint"
)

var unreadMetadata = Rule{
	ID: "unread-metadata", Severity: lint.Warning, Kind: manifest.ScaledObject,
	Summary: "metadata of a trigger that KEDA does not read, such as metricType, or an annotation that AIBrix does not read",
	Why:     "KEDA reads the metadata that the type of the trigger has and ignores all others without a message, as AIBrix ignores annotations. The default is in force.",
	Fix:     "Correct the name, or put the field where it belongs: metricType is a field of the trigger, like type and metadata.",
	check: func(p *pass) {
		for _, u := range p.Unread {
			p.report(u.Path, "%s", u.Reason)
		}
	},
}
