// SPDX-License-Identifier: Apache-2.0

// Package setup makes of a scenario of the API what the engine simulates: pools with
// their step times and caches, the router, the traffic, hand-overs and disruptions. It
// says what stands in the way, by the field's path, and afterwards what the figures
// rest on. It knows nothing of points, seeds or objects; and no file but what a
// scenario holds.
//
// Start at Decode and Builder.
package setup
