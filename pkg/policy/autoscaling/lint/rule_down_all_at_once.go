// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"slices"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/hpa"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/manifest"
	"windtunnel.dev/windtunnel/pkg/policy/epp/lint"
)

var downAllAtOnce = Rule{
	ID: "down-all-at-once", Severity: lint.Info, Kind: manifest.HorizontalPodAutoscaler,
	Summary: "rules of scaling down that take away all replicas above the minimum at once",
	Why:     "The prefix caches of these replicas are lost together, and the replicas that are left compute all their prompts again.",
	Fix:     "Set scaleDown.policies, such as one pod each minute.",
	Context: Context{PrefixCaching: true},
	check: func(p *pass) {
		rules := downRules(p)
		if !p.PrefixCaching || rules.Select == hpa.Disabled || p.Max-p.Min < 2 {
			return
		}
		slow := func(policy hpa.Policy) bool { return !takesAll(&policy, p.Max-p.Min) }
		fast := func(policy hpa.Policy) bool { return !slow(policy) }
		if rules.Select == hpa.Min && slices.ContainsFunc(rules.Policies, slow) || !slices.ContainsFunc(rules.Policies, fast) {
			return
		}
		p.report(p.BehaviorPath().Child("scaleDown", "policies"), "the rules allow to take away %d of %d replicas at once", p.Max-p.Min, p.Max)
	},
}

// takesAll reports whether a policy removes that number of replicas within a minute.
func takesAll(policy *hpa.Policy, replicas int) bool {
	all := policy.Type == hpa.PercentPolicy && policy.Value >= 100 || policy.Type == hpa.PodsPolicy && int(policy.Value) >= replicas
	return all && policy.Period <= time.Minute
}
