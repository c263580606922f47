// SPDX-License-Identifier: Apache-2.0

// Package builder makes SimulationRuns and PolicySweeps for tests: small and valid,
// with all defaults, as an API server returns them. It does not use clients or
// controllers.
//
//	builder.MakeSweep("weights", "default").Grid("w", path, "0", "5", "1").Seeds(1, 2).Obj()
package builder
