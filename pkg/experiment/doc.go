// SPDX-License-Identifier: Apache-2.0

// Package experiment connects the custom resources with the simulator. It compiles an
// object into a Plan, runs the simulations of a plan or any range of them, and
// summarizes their rows in a status. It does not reconcile objects.
//
// A Plan has all references resolved and all defaults set, and is fully validated.
// The local commands, the worker in a pod and the controllers share this package, so
// they give the same results.
//
// Start at CompileRun, CompileSweep and Plan.
package experiment
