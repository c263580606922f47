// SPDX-License-Identifier: Apache-2.0

// Package events is the queue of what happens above the replicas, and the order of what
// happens in one nanosecond there.
package events
