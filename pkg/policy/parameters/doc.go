// SPDX-License-Identifier: Apache-2.0

// Package parameters reads the parameters of policies: names with texts, which become
// numbers, durations and words. Each read states the default and a help text, so that
// the list of a policy's parameters is a by-product of reading none. Start at
// [NewReader].
package parameters
