// SPDX-License-Identifier: Apache-2.0

// Package deployment reads how models are served in a cluster from manifests of Kubernetes and
// from Helm values: engines of vLLM, the EPP, autoscalers, objectives and routes. [Read] makes
// pools, routers and scalers of a scenario of them, and says in notes what a scenario has no place
// for. It reads texts alone: no cluster, no chart and no kustomization.
package deployment
