// SPDX-License-Identifier: Apache-2.0

// Package native has routing policies without an EPP: weighted sums of scorers, and
// simple policies as references. Load reads and validates a Spec; New makes a
// policy.Router from it. It does not simulate the EPP; package epp does.
//
// A policy without scorers is a chain of stages that each leave some of the endpoints, and a
// rule for ties. Policies with the name of a project have the rule of its router; their
// comments say of which version, and what differs.
//
// Most scorers are scorers of inference-sim with the same names; similar names in the EPP
// may compute different scores. A scorer is one file and one line in registry.go. Scorers
// with the suffix -seed implement an early design literally, for comparison.
package native
