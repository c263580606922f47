// SPDX-License-Identifier: Apache-2.0

// Package scheduling has the scheduling policies of a serving engine: the order of its
// wait queue, and the running request to preempt when KV blocks are short. It does not
// know the engine that calls it.
//
// A policy has the information that a real engine has about a request, which does not
// include the length of the answer.
//
// Start at Policy.
package scheduling
