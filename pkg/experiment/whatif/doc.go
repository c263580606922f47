// SPDX-License-Identifier: Apache-2.0

// Package whatif answers what would have become of a request, and of those after it, had
// the router picked another endpoint for it: the regret of a pick by latency.
//
// Each alternative is a simulation from the start with one forced pick ([policy.Force]), so
// everything before the pick is the same. A simulation ends as soon as the requests that it
// is about have ended. Simulations run side by side, and answers do not depend on how many.
//
// A cluster amplifies any change of a pick: other requests meet other queues, and their
// latencies differ though neither pick was better. So each answer states a spread in addition to
// the regret, and a regret within the spread is zero. The spread of a request is the
// greatest difference that a few flips make: simulations in which, in place of this request,
// one later request of the window goes elsewhere. A flip takes the pick that the router
// distinguishes least from its own, which is an exact tie wherever there is one. Flips are of
// later requests only: an earlier flip could change what the router saw and what caches hold,
// and so ask about another decision.
//
// If an alternative were a flip like the others, it would exceed all of n flips in one of
// n + 1 cases.
package whatif
