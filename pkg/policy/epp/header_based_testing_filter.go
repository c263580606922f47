// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"fmt"
	"slices"
	"strings"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

const headerBasedTestingFilterType = "header-based-testing-filter"

// testingHeader lists endpoints.
const testingHeader = "test-epp-endpoint-selection"

// headerBasedTestingFilter keeps the endpoints that a header of the request lists,
// separated by commas: none where there is no such header. The EPP knows them by
// their addresses, and here they go by their names. Where no request carries the
// header it may be a constant of the endpoint, pinned by the instance's name.
var headerBasedTestingFilter = scheduler.Factory{
	PluginType: config.PluginType{
		Name:         headerBasedTestingFilterType,
		Registration: version.GIE(".."),
		Roles:        config.FilterRole,
		Treatment: func(_ *config.Config, cluster *config.Cluster, p *config.Plugin) (config.Treatment, string) {
			switch {
			case cluster.States(testingHeader):
				return config.Exact, "endpoints go by their names, such as pool/0, in place of addresses"
			case isPinned(cluster, attributeName{name: p.Name}):
				return config.Approximated, fmt.Sprintf("keeps the endpoints with a number other than 0 pinned as %s, whatever a header of the request would say", p.Name)
			}
			return config.Unsupported, fmt.Sprintf("it is there for tests, and drops every endpoint that no header %q of the request lists: state it in the headers of clients, or pin a number other than 0 as %q in the attributes of the pools that it is to keep", testingHeader, p.Name)
		},
	},
	NewFilter: func(b *scheduler.Builder, p *config.Plugin) scheduler.Filter {
		if b.Cluster.States(testingHeader) {
			return newListed(&b.Cluster)
		}
		return pinnedFilter{pinnedOf(b, attributeName{name: p.Name})}
	},
}

// listed are the endpoints that each set of headers lists.
type listed [][]bool

func newListed(cluster *config.Cluster) listed {
	var all listed
	for _, value := range cluster.Header(testingHeader) {
		names := strings.Split(value, ",")
		for i := range names {
			names[i] = strings.TrimSpace(names[i])
		}
		keep := make([]bool, cluster.Endpoints)
		for e, name := range cluster.Names {
			keep[e] = slices.Contains(names, name)
		}
		all = append(all, keep)
	}
	return all
}

func (l listed) Filter(c *scheduler.Cycle, candidates []int) []int {
	return slices.DeleteFunc(candidates, func(e int) bool { return !l[c.Headers][e] })
}
