// SPDX-License-Identifier: Apache-2.0

// Package network moves KV blocks between replicas and tiers: a fabric of links, and what
// is to be done when a transfer on it ends.
package network
