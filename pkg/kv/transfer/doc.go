// SPDX-License-Identifier: Apache-2.0

// Package transfer moves KV blocks over stations of finite bandwidth: links,
// and the read and write sides of memories and disks. A transfer crosses one or
// several stations at once. What is in flight shares them max-min fairly, and
// the shares are divided anew whenever a transfer joins or leaves.
//
// The arithmetic is in integers and exact. The state at a time is a function of
// the starts and cancels up to then: looking at it, once or a million times on
// the way, changes no time of arrival.
//
// The package knows bytes and nanoseconds. Whose blocks they are, what waits for
// them and where they are kept is its caller's affair. Start at Network.
package transfer
