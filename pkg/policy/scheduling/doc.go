// SPDX-License-Identifier: Apache-2.0

// Package scheduling has the schedulers of a serving engine: the order of its wait
// queue, and the running request to preempt when KV blocks are short. It does not
// know the engine that calls it.
//
// A scheduler knows what a real engine knows of a request, which does not include the
// length of the answer. Only a [Predictor] knows that length, and it alone decides
// how much of it a [Job] shows.
//
// Start at Scheduler. registry.go lists all schedulers and victims by name.
package scheduling
