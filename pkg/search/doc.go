// SPDX-License-Identifier: Apache-2.0

// Package search chooses which points of a space to try. A space is a list of
// parameters, each with finitely many values written as text, so that a point
// has one name for ever; [NewGrid] enumerates all points and [NewRandom] draws
// some. Callers use them through [Algorithm]. The package does not know what a
// point means, what is done with it or where it runs.
package search
