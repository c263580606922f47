// SPDX-License-Identifier: Apache-2.0

// Package expression compiles and evaluates numeric expressions of users: rules over
// the parameters of a search, objectives and constraints over metrics.
//
// The language is CEL (https://cel.dev) without macros, regular expressions and times,
// so it has no loops. All numbers are doubles. [Compile] reports every error, and
// rejects an expression with a worst-case cost above a limit.
package expression
