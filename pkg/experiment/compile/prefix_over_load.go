// SPDX-License-Identifier: Apache-2.0

package compile

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/policy/epp/lint"
	"windtunnel.dev/windtunnel/pkg/setup"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// PrefixOverLoad is the rule about the weights of prefixes over those of load. Let
// m be the share of a prompt's blocks that lie in a prefix which others have too.
// A replica that holds it leads one that does not by m times the prefix weights,
// and load takes at most the load weights away. So where prefix/load is at least
// 1/m a request follows its prefix whatever the load, and where it is less the
// request goes elsewhere in time. That matters where one replica cannot serve all
// that share a prefix.
const PrefixOverLoad = "prefix-over-load"

// prefixBounds notes where the router's weights, or those that a sweep tries,
// reach beyond what the workload allows.
func (c *compiler) prefixBounds(scenario *field.Path) {
	for i, v := range c.plan.Variants() {
		for _, model := range routersOf(v.Scenario) {
			path := experiment.RouterField(v.Scenario, model, scenario)
			replaces := v.Replaces(c.plan, model)
			switch {
			case replaces && v.Choice != "":
				_, list := c.plan.Parameters[v.Place].Wording()
				path = field.NewPath("spec", "parameters").Index(v.Place).Child(list).Index(v.Index)
			case i > 0 && (!replaces || v.Choice == ""):
				continue // the router is the base's, which was looked at
			}
			if c.interrupted(path) {
				return
			}
			c.prefixBound(&v, model, path)
		}
	}
}

// prefixBound does so for the router of a model, whose field is path.
func (c *compiler) prefixBound(v *experiment.Variant, model string, path *field.Path) {
	hot, ok := c.hotPrefix(v.Scenario, model)
	if !ok {
		return
	}
	for _, s := range sensitivitiesOf(c.plan, v, model) {
		if severity, message := hot.judge(&s); message != "" {
			c.plan.Findings = append(c.plan.Findings, experiment.Finding{Rule: PrefixOverLoad, Severity: severity, Path: path.String(), Message: message})
		}
	}
}

// routersOf are the names of a scenario's routers, or their models where they have none; one
// without a name where there is one router.
func routersOf(scenario experiment.Tree) []string {
	list, several := scenario["routers"].([]any)
	if !several {
		return []string{""}
	}
	var keys []string
	for _, router := range list {
		router := router.(experiment.Tree)
		key, _ := router["name"].(string)
		if key == "" {
			key = router["model"].(string)
		}
		keys = append(keys, key)
	}
	return keys
}

// hotPrefix judges weights by what requests share.
type hotPrefix struct{ setup.HotPrefix }

// hotPrefix is that of the requests for a model under the plan's first seed; false where
// there is none, and where no replica is warm for a whole request: there is only one, or
// prompts are computed elsewhere. Of the requests of a route it is not known.
func (c *compiler) hotPrefix(scenario experiment.Tree, model string) (hotPrefix, bool) {
	typed, router, errs := setup.Decode(scenario, nil)
	if len(errs) > 0 {
		return hotPrefix{}, false
	}
	part, at := partOf(typed, model)
	if part == nil || typed.Route != nil || anyPool(setup.Prefills)(part.Scenario) {
		return hotPrefix{}, false
	}
	config, errs := c.plan.Builder.Build(typed, router, c.traces, c.plan.Seeds[0], nil)
	// Where users wait for answers, the cluster sets the rate.
	if len(errs) > 0 || replicas(part.Scenario) < 2 || config.Listener != nil {
		return hotPrefix{}, false
	}
	pools := slices.DeleteFunc(config.Pools, func(p simulator.Pool) bool { return p.Router != at })
	found, ok := setup.FindHotPrefix(config.Source, part.Model, config.Horizon, pools)
	return hotPrefix{found}, ok
}

// partOf returns the part of a router, and its index; nil if there is none.
func partOf(in *v1alpha1.Scenario, router string) (*setup.Part, int) {
	parts, _ := setup.Parts(in, nil)
	for i := range parts {
		if parts[i].Key == router {
			return &parts[i], i
		}
	}
	return nil, 0
}

func replicas(in *v1alpha1.Scenario) int {
	n := 0
	for i := range in.Pools {
		n += int(in.Pools[i].Replicas * max(1, in.Pools[i].DataParallelism))
	}
	return n
}

// noteworthy is the share of what a replica serves from which on a prefix is worth
// a word.
const noteworthy = 0.1

// judge says what weights come to with a workload; nothing where the message is
// empty.
func (h *hotPrefix) judge(s *sensitivity) (lint.Severity, string) {
	ratio, always, safe := s.ratio(), 1/h.Least, 1/h.Most
	switch {
	case ratio <= 0:
		return lint.Info, ""
	case !h.Overloads && (ratio < always || h.PerSecond < noteworthy*h.Served):
		return lint.Info, ""
	case !h.Overloads:
		return lint.Info, h.describe(s) + " That is as it should be as long as one replica serves all that share a prefix."
	case ratio >= always:
		return lint.Warning, h.describe(s) + " One replica gets them all, and its queue grows without end." + h.advice(s)
	case ratio >= safe:
		return lint.Info, h.describe(s) + " In between it depends on how soon one of them goes elsewhere and warms another replica." + h.advice(s)
	case s.varied():
		return lint.Info, h.describe(s) + h.advice(s)
	default:
		return lint.Info, ""
	}
}

// describe states the weights, the workload and the bound.
func (h *hotPrefix) describe(s *sensitivity) string {
	shares, bound := fmt.Sprintf("m = %.4g", h.Most), fmt.Sprintf("Below prefix/load = %.4g (1/m) load outweighs that, above it never does.", 1/h.Most)
	if h.Least < h.Most {
		shares = fmt.Sprintf("m = %.4g to %.4g", h.Least, h.Most)
		bound = fmt.Sprintf("Below prefix/load = %.4g (1/m) load outweighs that for each of them, above %.4g for none.", 1/h.Most, 1/h.Least)
	}
	return fmt.Sprintf("%s. Requests that share a prefix come at %s/s, of which a replica that holds it serves about %s/s; %s of their blocks lie in it. %s",
		s.describe(), roughly(h.PerSecond), roughly(h.Served), shares, bound)
}

// roughly writes a rate with two digits or more.
func roughly(perSecond float64) string {
	if perSecond < 100 {
		return fmt.Sprintf("%.2g", perSecond)
	}
	return fmt.Sprintf("%.0f", perSecond)
}

// advice is a bound to keep to: as a rule of the sweep, where that varies the
// weights.
func (h *hotPrefix) advice(s *sensitivity) string {
	limit := math.Floor(1000/h.Most+1e-6) / 1000
	if !s.varied() {
		return fmt.Sprintf(" Keep prefix/load below %.5g.", limit)
	}
	return fmt.Sprintf(" To keep below, add to spec.rules the expression %q.", s.prefix.String()+" < "+timesSum(limit, &s.load))
}

// timesSum writes a factor times a sum.
func timesSum(factor float64, s *weightSum) string {
	if len(s.terms) == 0 {
		return fmt.Sprintf("%.5g", factor*s.constant)
	}
	text := s.String()
	if strings.Contains(text, " ") {
		text = "(" + text + ")"
	}
	return fmt.Sprintf("%.5g * %s", factor, text)
}
