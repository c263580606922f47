// SPDX-License-Identifier: Apache-2.0

package result

// Kind is a kind of behaviour of which a candidate is the best: the bin of each
// feature, counted from 1.
type Kind []int
