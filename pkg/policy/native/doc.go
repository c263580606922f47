// SPDX-License-Identifier: Apache-2.0

// Package native is routing policies that need no EPP: weighted sums of composable
// scorers, and simple ones to hold them against. Load reads a Spec and says what is
// wrong with it; New makes a policy.Router of what it has read.
//
// Most scorers are those of inference-sim, under the names that they have there;
// they are not the EPP's, even where they resemble them. A scorer is a file, and a
// line in registry.go. Names that end in -seed are literal readings of an early
// design, kept to compare with.
package native
