// SPDX-License-Identifier: Apache-2.0

// Package policy declares the decision points of a serving cluster as small
// interfaces, and the views of state that a decision may read. It does not know the
// engine that calls it; the packages below it implement the policies.
//
// A view has the information that the real component has at that time: metrics from
// the last scrape, and prompts, but not true output lengths.
package policy
