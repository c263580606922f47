// SPDX-License-Identifier: Apache-2.0

// Package gateway is where requests arrive, are admitted, held and routed, and where their
// answers end: the router's view of the replicas with its scrapes, the requests that wait at
// the gateway, time-outs of clients, and what reaches the gateway of answers.
package gateway
