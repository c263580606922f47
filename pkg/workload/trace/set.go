// SPDX-License-Identifier: Apache-2.0

package trace

// Set holds the traces of a workload by their names. A trace without a name has the empty
// one. A trace that could not be read is missing.
type Set map[string]*Trace
