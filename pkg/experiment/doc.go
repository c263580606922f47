// SPDX-License-Identifier: Apache-2.0

// Package experiment stands between the custom resources and the simulator.
// It compiles an object into a Plan (all references resolved, all defaults
// spelled out, everything checked), expands a plan into simulations, runs any
// range of them, and sums their rows up into a status. The local verbs, the
// worker in a pod and the controllers all go through it, which is why they
// give the same numbers. It knows nothing of reconciling.
//
// Start at CompileRun, CompileSweep and Plan.
package experiment
