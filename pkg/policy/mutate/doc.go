// SPDX-License-Identifier: Apache-2.0

// Package mutate makes bundles of policies out of others: it varies numbers, weights and
// parameters, and the nodes of decision trees, and joins parts of two bundles. Code stays as
// it is and is never parsed, so that a process that must not read foreign code may call this
// package. Equal bundles and equal random numbers give equal children. Start at [New].
package mutate
