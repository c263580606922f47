// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/manifest"
	"windtunnel.dev/windtunnel/pkg/policy/epp/lint"
)

var cooldownBelowStartup = Rule{
	ID: "cooldown-below-startup", Severity: lint.Warning, Kind: manifest.ScaledObject,
	Summary: "a cooldown of KEDA that is shorter than the start of a replica",
	Why:     "KEDA takes the last replica away after a lull that is shorter than the time until another one serves.",
	Fix:     "Set cooldownPeriod to a multiple of the time that a replica takes to start.",
	Context: Context{Startup: 130 * time.Second},
	check: func(p *pass) {
		k := p.KEDA()
		if k != nil && (k.Min == 0 || k.Idle != nil) && *k.Cooldown < p.Startup {
			p.report(field.NewPath("spec", "cooldownPeriod"), "the cooldown is %s, and a replica takes %s to start", *k.Cooldown, p.Startup)
		}
	},
}
