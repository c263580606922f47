// SPDX-License-Identifier: Apache-2.0

// Package ranktest has rank tests that compare search algorithms in tests and studies:
// the Mann–Whitney test of two samples, and Wilcoxon's test of pairs.
package ranktest
