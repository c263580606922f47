// SPDX-License-Identifier: Apache-2.0

// Package flowcontrol holds requests in front of the scheduler while the pool is
// saturated: bands by priority, one queue for each flow of a band, and policies that
// order requests, choose the next flow and set the ceiling at which a priority waits.
// With eviction on, it also names requests in flight that make room.
package flowcontrol
