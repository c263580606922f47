// SPDX-License-Identifier: Apache-2.0

// Package scheduler decides about one request at a time as the EPP does: producers keep
// data, admitters may reject, profiles filter, score and pick.
//
// [New] makes a [Scheduler] from a configuration and the factories of its plugins. One
// simulation owns it; it is not safe for concurrent use. Route begins a [Cycle], which
// holds what plugins see of the request until the pick. FirstToken, Finished and Used
// tell plugins of answers, in the order of their times. Where [Scheduler.Routing] has a
// Queue, Route may hold a request, and the caller calls Wake and Release.
//
// Plugins may keep the Cycle for the length of a call only. Slices of candidates and
// scores belong to the profile. A factory is called once for each instance that a
// profile or a role asks for; [Shared] makes one instance for all profiles.
package scheduler
