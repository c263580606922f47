// SPDX-License-Identifier: Apache-2.0

// Package expression evaluates what users write about numbers: rules over the
// parameters of a search, objectives and constraints over metrics. The language
// is CEL (https://cel.dev) without its macros, its regular expressions and its
// times, so that there are no loops, and [Compile] refuses what costs more than a
// bound to evaluate, whatever the values. All numbers are doubles, however they are
// written. [Compile] finds every mistake beforehand.
package expression
