// SPDX-License-Identifier: Apache-2.0

// Package queue orders requests that wait: heaps, the wait queue of a replica, the requests
// on their way to it, and the tokens that its scheduler counts.
//
// A ticket is a request's place in a wait queue, a lane the queue of one group of requests
// where the order among groups moves.
package queue
