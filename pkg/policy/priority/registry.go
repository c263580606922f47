// SPDX-License-Identifier: Apache-2.0

package priority

import (
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/parameters"
)

// A policyType is a way to state priorities. read returns how it is made. onlyOrder says
// that only the order of its priorities means something.
type policyType struct {
	name, help string
	read       func(*loader) func() policy.Priority
	onlyOrder  bool
}

// policies are all there are.
var policies = []policyType{
	{"constant", "gives every request the same priority", readConstant, false},
	{"class", "gives each class a priority", readClass, false},
	{"tenant", "gives each tenant a priority", readTenant, false},
	{"class-age", "gives each class a head start, and lets requests that arrived earlier come first otherwise", readClassAge, true},
	{"deadline", "puts the request first whose first token is due first", readDeadline, true},
	{"least-attained-service", "puts the tenant first that was admitted the fewest prompt tokens", readLeastAttained, false},
}

// Policies returns the names of all policies.
func Policies() []string {
	var names []string
	for _, p := range policies {
		names = append(names, p.name)
	}
	return names
}

// Description says what a policy does and which parameters it has.
type Description struct {
	Name, Help string
	Parameters []parameters.Parameter
}

// Describe lists all policies for documentation.
func Describe() []Description {
	var all []Description
	for _, p := range policies {
		l := &loader{Reader: parameters.NewReader(nil, nil)}
		p.read(l)
		all = append(all, Description{p.name, p.help, l.Known()})
	}
	return all
}
