// SPDX-License-Identifier: Apache-2.0

package epp

// singleProfileHandler runs the one profile there is, once a request. The
// scheduler does so by itself.
var singleProfileHandler = pluginType{
	name:         singleProfileHandlerType,
	registration: gie(".."),
	roles:        profileHandlerRole,
	obstacles:    handlesOne,
}
