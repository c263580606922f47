// SPDX-License-Identifier: Apache-2.0

// Package admission has the policies that decide which requests enter a cluster, and
// when. They stand before the router, whatever it is. One file has one policy.
//
// A policy sees what a gateway sees: scraped metrics of replicas, and the gateway's own
// counts of tenants and classes ([policy.Traffic]). Start at [Load].
package admission
