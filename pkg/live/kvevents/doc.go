// SPDX-License-Identifier: Apache-2.0

// Package kvevents publishes what the caches of replicas hold, over ZMQ as vLLM does. Facts are from
// vllm/distributed/kv_events.py and vllm/v1/core/kv_cache_utils.py at vLLM 0181ea3. The topic is llm-d's:
// vLLM's own default is empty.
package kvevents
