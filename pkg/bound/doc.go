// SPDX-License-Identifier: Apache-2.0

// Package bound computes what no router and no cache can do better: ceilings to hold a
// policy against. It knows the whole sequence of requests, the future included, and nothing
// of replicas but their number of KV blocks. Start at [Reuse].
package bound
