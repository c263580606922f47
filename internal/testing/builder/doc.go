// SPDX-License-Identifier: Apache-2.0

// Package builder makes SimulationRuns and PolicySweeps for tests: small, valid,
// and with every default filled in, as an API server returns them.
//
//	builder.MakeSweep("weights", "default").Grid("w", path, "0", "5", "1").Seeds(1, 2).Obj()
//
// It knows nothing of clients or controllers.
package builder
