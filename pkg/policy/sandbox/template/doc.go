// SPDX-License-Identifier: Apache-2.0

// Package template has formulas for decisions, in which some numbers are left open. A bundle
// states the numbers, and a search varies them: each has a range and a default. A template
// with its numbers is a decision tree, so it needs no trust and no fence.
//
// A template is a file of the folder templates. In its tree, $NAME stands for the number of a
// parameter, and -$NAME for the number below 0.
package template
