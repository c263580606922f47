// SPDX-License-Identifier: Apache-2.0

package epp

import "math"

// latencyPrediction is what a producer predicts of the request under way, by
// endpoint, in milliseconds.
type latencyPrediction struct {
	// known says where there is a prediction; the rest counts only there.
	known []bool
	// ttft is the time to the first token, or of the whole answer where the EPP
	// is not in streaming mode; tpot is the time between two tokens.
	ttft, tpot []float64
	// The headrooms are what the objectives leave, negative where they are
	// missed. A request that states none has an objective of 0.
	ttftHeadroom, tpotHeadroom []float64
	// The objectives are met where these are true, which is not where the
	// headroom is 0.
	ttftValid, tpotValid []bool
	// dispatched counts the requests that were sent there and have not ended.
	dispatched []int
}

func newLatencyPrediction(endpoints int) *latencyPrediction {
	return &latencyPrediction{
		known:        make([]bool, endpoints),
		ttft:         make([]float64, endpoints),
		tpot:         make([]float64, endpoints),
		ttftHeadroom: make([]float64, endpoints),
		tpotHeadroom: make([]float64, endpoints),
		ttftValid:    make([]bool, endpoints),
		tpotValid:    make([]bool, endpoints),
		dispatched:   make([]int, endpoints),
	}
}

// misses reports whether an endpoint is predicted to miss an objective. One
// without a prediction is not.
func (p *latencyPrediction) misses(endpoint int) bool {
	return p.known[endpoint] && (p.ttftHeadroom[endpoint] < 0 || p.tpotHeadroom[endpoint] < 0)
}

// meets reports whether an endpoint is predicted to meet both objectives.
func (p *latencyPrediction) meets(endpoint int) bool {
	return p.known[endpoint] && p.ttftValid[endpoint] && p.tpotValid[endpoint]
}

// prediction is what a producer of that name predicts.
func (b *builder) prediction(producer string) *latencyPrediction {
	if b.predictions[producer] == nil {
		b.predictions[producer] = newLatencyPrediction(b.Endpoints)
	}
	return b.predictions[producer]
}

func (p *latencyPrediction) headroomTPOT(e int) float64 { return p.sizeOf(p.tpotHeadroom, e) }

// headroomTTFT and headroomTPOT are sizes, of room or of deficit; 0 where
// nothing is predicted.
func (p *latencyPrediction) headroomTTFT(e int) float64 { return p.sizeOf(p.ttftHeadroom, e) }

func (p *latencyPrediction) sizeOf(headroom []float64, e int) float64 {
	if !p.known[e] {
		return 0
	}
	return math.Abs(headroom[e])
}
