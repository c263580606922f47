// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/hpa"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/manifest"
	"windtunnel.dev/windtunnel/pkg/policy/epp/lint"
)

var downWindowBelowStartup = Rule{
	ID: "down-window-below-startup", Severity: lint.Warning, Kind: manifest.HorizontalPodAutoscaler,
	Summary: "a window of scaling down that is shorter than the start of a replica",
	Why:     "A short lull takes away a replica, and the next burst waits for the start of another one.",
	Fix:     "Set scaleDown.stabilizationWindowSeconds to a multiple of the time that a replica takes to start.",
	Context: Context{Startup: 130 * time.Second},
	check: func(p *pass) {
		rules := downRules(p)
		if window := downWindow(rules); p.Startup > 0 && rules.Select != hpa.Disabled && window < p.Startup {
			p.report(p.BehaviorPath().Child("scaleDown", "stabilizationWindowSeconds"),
				"the window of scaling down is %s, and a replica takes %s to start", window, p.Startup)
		}
	},
}

// downRules are the rules of scaling down with their defaults.
func downRules(p *pass) *hpa.Rules {
	spec := p.Autoscaler()
	if spec.Behavior == nil {
		spec.Behavior = &hpa.Behavior{}
	}
	return hpa.Defaults(spec).Behavior.ScaleDown
}

func downWindow(rules *hpa.Rules) time.Duration {
	if rules.Window == nil {
		return hpa.DefaultOptions().DownscaleStabilisation
	}
	return *rules.Window
}
