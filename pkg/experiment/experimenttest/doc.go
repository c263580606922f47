// SPDX-License-Identifier: Apache-2.0

// Package experimenttest has the fixtures that the tests of pkg/experiment and of the
// packages below it share: a small sweep and a small run, the inputs that they name,
// and functions that compile and simulate them or stop the test.
//
//	c := experimenttest.MustCompileSweep(t, experimenttest.Sweep(t))
//	rows := experimenttest.EncodeRows(t, experimenttest.MustSimulate(t, c, experimenttest.AllSimulations(t, c.Plan)))
//
// It imports compile, study and execute, so only external test packages can use it.
package experimenttest
