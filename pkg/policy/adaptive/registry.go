// SPDX-License-Identifier: Apache-2.0

package adaptive

import "windtunnel.dev/windtunnel/pkg/policy/parameters"

// laws are all there are.
var laws = parameters.Registry[*loader, func(world) law]{
	{Name: "bang-bang", Help: "moves the weights by a step, towards load where many requests are rejected and towards prefixes where few are", Read: readBangBang},
	{Name: "multiplicative", Help: "changes the weights in proportion to how far the share of rejected requests is from a target", Read: readMultiplicative},
	{Name: "pi", Help: "controls the ratio by the error of the share of rejected requests and by the sum of the errors, with anti-windup", Read: readProportionalIntegral},
	{Name: "exp3", Help: "draws the weight of prefixes from a grid, more often where the goodput was greater", Read: readEXP3},
	{Name: "epoch-adaptive-seed", Help: "is bang-bang as first designed: the rate is rejected ÷ admitted, prefixes gain without a signal, and the ratio is at most 1.33, for which the weight of load may exceed maxLoad", Read: readSeedLaw},
}

// Describe lists all laws for documentation, with the parameters of each alone.
func Describe() []parameters.Description {
	return laws.Describe(func() *loader { return newLoader(nil, nil) })
}

// Common lists the parameters that all laws have.
func Common() []parameters.Parameter {
	l := newLoader(nil, nil)
	l.readCommon()
	return l.Known()
}
