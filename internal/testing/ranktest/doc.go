// SPDX-License-Identifier: Apache-2.0

// Package ranktest has the rank tests with which tests and studies compare search
// algorithms: the Mann–Whitney test of two samples, and Wilcoxon's test of pairs.
package ranktest
