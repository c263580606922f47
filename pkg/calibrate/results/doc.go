// SPDX-License-Identifier: Apache-2.0

// Package results reads what benchmarks of an engine wrote, and makes runs of them that
// calibrate can replay: vllm bench serve, guidellm, inference-perf, rows of InferenceX,
// Benchmark Reports 0.1 and scrapes of vLLM's metrics. It refuses results of other engines.
//
// Start at Read.
package results
