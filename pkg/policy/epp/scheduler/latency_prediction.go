// SPDX-License-Identifier: Apache-2.0

package scheduler

import "math"

// LatencyPrediction is what a producer predicts of the request under way, by
// endpoint, in milliseconds.
type LatencyPrediction struct {
	// Known says where there is a prediction; the rest counts only there.
	Known []bool
	// Ttft is the time to the first token, or of the whole answer where the EPP
	// is not in streaming mode; tpot is the time between two tokens.
	Ttft, Tpot []float64
	// The headrooms are what the objectives leave, negative where they are
	// missed. A request that states none has an objective of 0.
	TtftHeadroom, TpotHeadroom []float64
	// The objectives are met where these are true, which is not where the
	// headroom is 0.
	TtftValid, TpotValid []bool
	// Dispatched counts the requests that were sent there and have not ended.
	Dispatched []int
}

// NewLatencyPrediction returns one that knows nothing of any endpoint.
func NewLatencyPrediction(endpoints int) *LatencyPrediction {
	return &LatencyPrediction{
		Known:        make([]bool, endpoints),
		Ttft:         make([]float64, endpoints),
		Tpot:         make([]float64, endpoints),
		TtftHeadroom: make([]float64, endpoints),
		TpotHeadroom: make([]float64, endpoints),
		TtftValid:    make([]bool, endpoints),
		TpotValid:    make([]bool, endpoints),
		Dispatched:   make([]int, endpoints),
	}
}

// Misses reports whether an endpoint is predicted to miss an objective. One
// without a prediction is not.
func (p *LatencyPrediction) Misses(endpoint int) bool {
	return p.Known[endpoint] && (p.TtftHeadroom[endpoint] < 0 || p.TpotHeadroom[endpoint] < 0)
}

// Meets reports whether an endpoint is predicted to meet both objectives.
func (p *LatencyPrediction) Meets(endpoint int) bool {
	return p.Known[endpoint] && p.TtftValid[endpoint] && p.TpotValid[endpoint]
}

// PredictionOf is what a producer of that name predicts.
func (b *Builder) PredictionOf(producer string) *LatencyPrediction {
	if b.predictions[producer] == nil {
		b.predictions[producer] = NewLatencyPrediction(b.Endpoints)
	}
	return b.predictions[producer]
}

// HeadroomTPOT is the size of the headroom for TPOT, in milliseconds.
func (p *LatencyPrediction) HeadroomTPOT(e int) float64 { return p.sizeOf(p.TpotHeadroom, e) }

// HeadroomTTFT and headroomTPOT are sizes, of room or of deficit; 0 where
// nothing is predicted.
func (p *LatencyPrediction) HeadroomTTFT(e int) float64 { return p.sizeOf(p.TtftHeadroom, e) }

func (p *LatencyPrediction) sizeOf(headroom []float64, e int) float64 {
	if !p.Known[e] {
		return 0
	}
	return math.Abs(headroom[e])
}
