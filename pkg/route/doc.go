// SPDX-License-Identifier: Apache-2.0

// Package route gives requests their router and the model that serves them: the rules and
// the weights of an HTTPRoute (Gateway API v1, kubernetes-sigs/gateway-api @ 4564255a), which
// a gateway applies before any EPP, and the InferenceModelRewrites of the EPP (llm-d-router @
// ebab6879, pkg/epp/requestcontrol/director.go). A [Table] is what both come to; [ReadHTTPRoutes]
// and [ReadModelRewrites] read the manifests. It does not know what a router does.
package route
