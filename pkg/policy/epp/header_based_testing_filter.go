// SPDX-License-Identifier: Apache-2.0

package epp

import "fmt"

const headerBasedTestingFilterType = "header-based-testing-filter"

// headerBasedTestingFilter keeps the endpoints whose addresses a header of the
// request lists: none where there is no such header. Here that is a constant of
// the endpoint, pinned by the instance's name.
var headerBasedTestingFilter = pluginType{
	name:  headerBasedTestingFilterType,
	roles: filterRole,
	treatment: func(_ *Config, cluster *Cluster, p *plugin) (Treatment, string) {
		if cluster.pins(attributeName{name: p.Name}) {
			return Approximated, fmt.Sprintf("keeps the endpoints with a number other than 0 pinned as %s, whatever a header of the request would say", p.Name)
		}
		return Unsupported, fmt.Sprintf("it is there for tests, and drops every endpoint that no header of the request lists: pin a number other than 0 as %q in the attributes of the pools that it is to keep", p.Name)
	},
	newFilter: func(b *builder, p *plugin) filter { return pinnedFilter{b.pinned(attributeName{name: p.Name})} },
}
