// SPDX-License-Identifier: Apache-2.0

// Package controllers reconciles SimulationRuns and PolicySweeps: it runs them as
// Jobs and writes their results into the status. It does not simulate; pkg/experiment
// compiles specs and summarizes results.
//
// Both reconcilers share one core of three steps. Observe reads the state of the
// cluster; decide is a pure function from that state to actions and a status, each
// with a reason; apply carries the actions out. No step is stored: the state follows
// from the existing objects, so a manager may stop between any two writes.
//
// Start at Setup and decide.
package controllers
