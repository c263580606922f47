// SPDX-License-Identifier: Apache-2.0

// Package native has routing policies without an EPP: weighted sums of scorers, and
// simple policies as references. Load reads and validates a Spec; New makes a
// policy.Router from it. It does not simulate the EPP; package epp does.
//
// Most scorers are scorers of inference-sim with the same names; similar names in the EPP
// may compute different scores. A scorer is one file and one line in registry.go. Scorers
// with the suffix -seed implement an early design literally, for comparison.
package native
