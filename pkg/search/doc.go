// SPDX-License-Identifier: Apache-2.0

// Package search decides what to try next: which points of a space, with how
// much effort, and when it is enough. A space is a list of parameters, each
// with finitely many values written as text, so that a point has one name for
// ever. [New] returns the [Algorithm] for a [Problem]; its caller asks for a
// generation of proposals, tries them, tells what became of them, and asks
// again. The package does not know what a point means, what is done with it or
// where it runs.
package search
