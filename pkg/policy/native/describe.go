// SPDX-License-Identifier: Apache-2.0

package native

import "windtunnel.dev/windtunnel/pkg/policy/parameters"

// Description says what a policy picks, or which endpoints a scorer prefers, and which
// parameters it has.
type Description struct {
	Name, Help, Source string
	Parameters         []parameters.Parameter
}

// DescribePolicies lists all policies for documentation.
func DescribePolicies() []Description {
	var all []Description
	for _, p := range policies {
		r := newReader(nil, nil)
		p.read(r, &Spec{}, nil)
		all = append(all, Description{p.name, p.help, p.source, r.Known()})
	}
	return all
}

// DescribeFigures lists the signals of programs that are no scorers, for documentation.
func DescribeFigures() []Description {
	var all []Description
	for _, f := range figures {
		r := newReader(nil, nil)
		f.read(r)
		all = append(all, Description{Name: f.name, Help: f.help, Parameters: r.Known()})
	}
	return all
}

// DescribeScorers lists all scorers for documentation.
func DescribeScorers() []Description {
	var all []Description
	for _, s := range scorers {
		r := newReader(nil, nil)
		s.read(r)
		all = append(all, Description{Name: s.name, Help: s.help, Parameters: r.Known()})
	}
	return all
}
