// SPDX-License-Identifier: Apache-2.0

// Package scheduling says whom a serving engine turns to first: how it orders
// its wait queue, and which running request gives way where KV blocks run out.
// A policy knows what an engine knows of a request, which is not the length of
// its answer. The package knows nothing of the engine that asks.
//
// Start at Policy.
package scheduling
