// SPDX-License-Identifier: Apache-2.0

// Package controllers reconciles SimulationRuns and PolicySweeps. Both share
// one core of three steps: observe reads the world, decide is a pure function
// from that world to acts and a status, each with its reason in words, and
// apply carries them out. Nothing remembers which step an object was on: the
// state is derived from what exists, so a manager may die between any two
// writes.
//
// The package knows nothing of the simulator; pkg/experiment compiles specs and
// sums results up.
//
// Start at Setup and decide.
package controllers
