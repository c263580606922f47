// SPDX-License-Identifier: Apache-2.0

// Package advice is what follows from a study: the EPP's file changed to a point
// (PromotePoint), the report that a person reads before the roll-out ([NewReport]), and
// a SimulationRun of one point ([FollowUpRun]).
package advice
