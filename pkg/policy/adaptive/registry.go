// SPDX-License-Identifier: Apache-2.0

package adaptive

import "windtunnel.dev/windtunnel/pkg/policy/parameters"

// A lawType is a law. read returns how it is made.
type lawType struct {
	name, help string
	read       func(*loader) func(world) law
}

// laws are all there are.
var laws = []lawType{
	{"bang-bang", "moves the weights by a step, towards load where many requests are rejected and towards prefixes where few are", readBangBang},
	{"multiplicative", "changes the weights in proportion to how far the share of rejected requests is from a target", readMultiplicative},
	{"pi", "controls the ratio by the error of the share of rejected requests and by the sum of the errors, with anti-windup", readProportionalIntegral},
	{"exp3", "draws the weight of prefixes from a grid, more often where the goodput was greater", readEXP3},
	{"epoch-adaptive-seed", "is bang-bang as first designed: the rate is rejected ÷ admitted, prefixes gain without a signal, and the ratio is at most 1.33, for which the weight of load may exceed maxLoad", readSeedLaw},
}

// Laws returns the names of all laws.
func Laws() []string {
	var names []string
	for _, l := range laws {
		names = append(names, l.name)
	}
	return names
}

// Description says what a law does and which parameters it has.
type Description struct {
	Name, Help string
	Parameters []parameters.Parameter
}

// Describe lists all laws for documentation, with the parameters of each alone.
func Describe() []Description {
	var all []Description
	for i := range laws {
		l := newLoader(nil, nil)
		laws[i].read(l)
		all = append(all, Description{laws[i].name, laws[i].help, l.Known()})
	}
	return all
}

// Common lists the parameters that all laws have.
func Common() []parameters.Parameter {
	l := newLoader(nil, nil)
	l.readCommon()
	return l.Known()
}
