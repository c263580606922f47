// SPDX-License-Identifier: Apache-2.0

// Package hostile makes harmful SimulationRuns and PolicySweeps for tests: compressed
// traces that expand to many times their size, rules with a high hidden cost, EPP
// files with thousands of plugins, grids beyond every limit, and unexpected values for
// the fields of the schemas. It does not use clients or controllers.
//
//	for _, cm := range hostile.Inputs() { … }   // ConfigMaps that the objects name
//	family, object := hostile.Object(seed, i)   // deterministic
package hostile
