// SPDX-License-Identifier: Apache-2.0

package latency

import "time"

// RequestCostPreset names the way of a request to the engine.
type RequestCostPreset string

// On the direct way a client of the same network calls the API server of vLLM. The way through a
// gateway has a picker of endpoints too.
const (
	DirectWay  RequestCostPreset = "Direct"
	GatewayWay RequestCostPreset = "Gateway"
)

// requestCostPresets are the costs of the ways.
//
// Direct: tokenisers of Hugging Face take 1.1 to 1.6 µs a token on one core (1.1 s for 4 MB;
// 2.5 to 2.7 MiB/s). With 6 ms of HTTP and of the API server a prompt of 600 tokens comes to 6.9
// ms: by 7 ms, measured times to the first token of Llama-3.1-8B under light load are above
// those of the steps and of the wait for them (vLLM 0.15 on H100, docs/validation.md).
//
// Gateway: published times to the first token of cached prompts of 7,000 to 9,000 tokens are
// about 0.1 s above those of the steps, for 8,000 tokens 8 ms and 11.5 µs a token: a gateway
// reads, copies and tokenises the body once more. How the 0.1 s grows with the prompt is not
// published.
var requestCostPresets = map[RequestCostPreset]RequestCost{
	DirectWay:  {QueueBase: 6 * time.Millisecond, QueuePerInputToken: 1500 * time.Nanosecond},
	GatewayWay: {QueueBase: 8 * time.Millisecond, QueuePerInputToken: 11500 * time.Nanosecond},
}

// Cost returns what a request costs on the way; nothing for another name.
func (p RequestCostPreset) Cost() RequestCost { return requestCostPresets[p] }

// WithoutAWayMatters is the time to first token below which the way of a request is a part of
// it that counts.
const WithoutAWayMatters = 50 * time.Millisecond
