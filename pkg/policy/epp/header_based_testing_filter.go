// SPDX-License-Identifier: Apache-2.0

package epp

const headerBasedTestingFilterType = "header-based-testing-filter"

// headerBasedTestingFilter keeps the endpoints whose addresses a header of the
// request lists: none where there is no such header.
var headerBasedTestingFilter = pluginType{
	name:      headerBasedTestingFilterType,
	roles:     filterRole,
	treatment: unsupported("it drops every endpoint whose address no header of the request lists, and neither has addresses here; it is there for tests"),
}
