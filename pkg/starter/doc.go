// SPDX-License-Identifier: Apache-2.0

// Package starter writes a first scenario: a SimulationRun, or a PolicySweep that varies the weights
// of an EPP configuration, with a comment on each value. What can be derived from a trace or from
// the configuration is; the rest are values that a person replaces.
package starter
