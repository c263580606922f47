// SPDX-License-Identifier: Apache-2.0

// Package adaptive changes the weights of a router in a run. After each epoch a law
// decides on the weights of the next one, by what happened in it. A law is a function of
// what the gateway counted; it sees neither requests nor the cluster. One file has one law.
//
// Weights are relative: only the ratio of the weight of prefixes to that of load matters.
// Start at [Load].
package adaptive
