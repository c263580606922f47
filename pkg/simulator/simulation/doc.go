// SPDX-License-Identifier: Apache-2.0

// Package simulation runs what package simulator describes: Run takes a simulator.Config
// and returns a simulator.Result. A Session is a run whose requests come from outside, one at a
// time. The rooms of the engine and the order of events stand
// there.
package simulation
