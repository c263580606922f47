// SPDX-License-Identifier: Apache-2.0

// Package search decides which points of a parameter space to try next, with how much
// effort, and when to stop. It does not know what a point means or how it is tried.
//
// A space is a list of parameters, each with finitely many values written as text, so
// a point has one stable name. [New] returns the [Algorithm] for a [Problem]. The caller
// asks for a generation of proposals, tries them, reports the results, and asks again.
package search
