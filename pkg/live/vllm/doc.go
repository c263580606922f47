// SPDX-License-Identifier: Apache-2.0

// Package vllm is the HTTP server of one replica, with the paths, the bodies, the errors and the
// metrics of vLLM's OpenAI-compatible server. What it does not know is how long anything takes: an
// [Engine] says when tokens come. [New] makes a server.
package vllm
