// SPDX-License-Identifier: Apache-2.0

// Package lint checks EndpointPickerConfigs: what the EPP of a version rejects, ignores
// or replaces, likely mistakes, and the recommended change. It does not run the policy.
//
// [Check] checks the text of one configuration, [Read] a file with several documents.
// Both are pure functions. Package config decides what a version rejects, ignores or
// replaces. A [Rule] describes a likely mistake with its reason and an example, which is
// also its test. [Fix] rewrites findings that have one obvious correction, and keeps the
// rest of the file.
package lint
