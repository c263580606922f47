// SPDX-License-Identifier: Apache-2.0

// Package hostile makes SimulationRuns and PolicySweeps that a tenant writes by mistake
// or to harm others: traces that unpack to many times their size, rules that cost more
// than they say, EPP files of thousands of plugins, grids beyond every bound, and values
// from the CRDs' schemas where nobody expects them.
//
//	for _, cm := range hostile.Inputs() { … }   // which the objects name
//	family, object := hostile.Object(seed, i)   // the same for the same seed and number
//
// It knows nothing of clients or controllers.
package hostile
