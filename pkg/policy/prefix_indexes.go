// SPDX-License-Identifier: Apache-2.0

package policy

// A PrefixIndexer is a router that remembers what it has sent to endpoints, in indexes of a
// limited size.
type PrefixIndexer interface {
	// FullIndexes returns, by endpoint, the tokens that the smallest index holds of those that are
	// full, so that they forget prompts; 0 where none is full.
	FullIndexes() []int
}
