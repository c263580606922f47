// SPDX-License-Identifier: Apache-2.0

// Package tree runs decision trees: predicates over named fields, and leaves that are a
// number or a weighted sum of fields. A tree has no loops, so its size bounds its steps.
package tree
