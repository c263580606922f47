// SPDX-License-Identifier: Apache-2.0

// Package lint says of EndpointPickerConfigs what the EPP of a version makes of
// them, what is legal and seldom meant, and what to write instead.
//
// [Check] looks at the text of one configuration, [Read] at a file that may hold
// several among other things. Both are pure. What a version refuses, ignores or
// replaces is asked of package epp; what users have been bitten by is a [Rule],
// each with its reason and an example that its test is made of. [Fix] rewrites
// what has one obvious rewriting, in the file as it is written.
package lint
