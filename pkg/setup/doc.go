// SPDX-License-Identifier: Apache-2.0

// Package setup converts a scenario of the API into the configuration of the simulator:
// pools with step times and caches, the router, the traffic, transfers and
// disruptions. It does not know points, seeds or objects, and reads no files outside
// the scenario.
//
// It reports errors by the path of the field, and afterwards the sources of the step
// times and other assumptions.
//
// Start at Decode and Builder.
package setup
