// SPDX-License-Identifier: Apache-2.0

// Package expression evaluates what users write about numbers: rules over the
// parameters of a search, objectives and constraints over metrics. The language
// is CEL (https://cel.dev) without its macros, so that there are no loops and
// the time to evaluate is bounded by the length of the text. All numbers are
// doubles, however they are written. [Compile] finds every mistake beforehand.
package expression
