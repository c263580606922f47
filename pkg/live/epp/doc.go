// SPDX-License-Identifier: Apache-2.0

// Package epp runs the Endpoint Picker of llm-d as a process of this machine, without a cluster:
// [Start] gives a program a configuration and its endpoints, and waits until it serves. Endpoints
// are in a file; or, with priorities, in an API server that plays Kubernetes. The package does not
// know what is behind the endpoints, nor who asks the EPP.
//
// What it does is right for llm-d-router from v0.9.0 on, the first version that reads endpoints
// from a file. What an EPP reads from Kubernetes is that of llm-d-router ebab687.
package epp
