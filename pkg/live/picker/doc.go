// SPDX-License-Identifier: Apache-2.0

// Package picker asks an Endpoint Picker (EPP) of llm-d for endpoints, as Envoy does: over the
// gRPC protocol ext-proc, with headers and bodies streamed in both directions. [Client.Pick]
// sends a request and returns the chosen endpoint; the [Exchange] then tells the EPP of the
// answer, so that its counters of requests in flight fall.
//
// It does not send requests to endpoints.
package picker
