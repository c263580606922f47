// SPDX-License-Identifier: Apache-2.0

// Package tier is the tiers below the KV cache of a replica: which blocks they have, the
// copies into them, and the loads out of them.
package tier
