// SPDX-License-Identifier: Apache-2.0

// Package transfer simulates transfers of KV blocks over stations with limited
// bandwidth: links, and the read and write sides of memories and disks. It knows bytes
// and nanoseconds, and does not know blocks or requests.
//
// A transfer crosses one or more stations at once. Concurrent transfers share them
// max-min fairly, and the shares change when a transfer starts or ends.
// The arithmetic uses integers and is exact. The state at a time is a function of the
// starts and cancellations before it; reading the state changes no completion time.
//
// Start at Network.
package transfer
