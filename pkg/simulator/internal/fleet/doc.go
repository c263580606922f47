// SPDX-License-Identifier: Apache-2.0

// Package fleet is the replicas that scalers start and end: what a scaler sees and decides,
// the nodes on which replicas find places, and the life of a replica from its creation to
// its end.
package fleet
