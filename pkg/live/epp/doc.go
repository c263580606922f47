// SPDX-License-Identifier: Apache-2.0

// Package epp runs the Endpoint Picker of llm-d as a process of this machine, without
// Kubernetes: [Start] gives a program a configuration and a file of endpoints, and waits until
// it serves. It does not know what is behind the endpoints, nor who asks the EPP.
//
// What it does is right for llm-d-router from v0.9.0 on, the first version that reads endpoints
// from a file.
package epp
