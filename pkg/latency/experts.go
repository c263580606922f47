// SPDX-License-Identifier: Apache-2.0

package latency

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// touchedExperts returns, for n = 0, 1, 2… tokens, the number of a layer's
// experts that at least one of them passes through, in expectation over tokens
// that choose alike likely and independently:
//
//	experts · (1 − (1 − perToken/experts)^n)
//
// The list ends where the number is that of all experts to within a billionth.
func touchedExperts(experts, perToken int) []float64 {
	missed := 1 - float64(perToken)/float64(experts)
	var touched []float64
	for n := 0; ; n++ {
		untouched := stats.Pow(missed, float64(n))
		if untouched < 1e-9 {
			return append(touched, float64(experts))
		}
		touched = append(touched, float64(float64(experts)*(1-untouched)))
	}
}

// expertTime is what the layers with experts take in addition to what every token passes
// through, in nanoseconds: the floor of a step, dispatching and multiplying a new token,
// and by the number of tokens what the experts that they pass through take: reading
// their weights, and multiplying by what is empty of their tiles. The last entry stands
// for all beyond it.
type expertTime struct {
	floor, dispatch, multiply float64
	touched                   []touchedTime
}

type touchedTime struct{ read, tiles float64 }

// expertTime returns the times of one GPU. The busiest GPU has the imbalance times its
// even share of the experts that are read, and never more than all its own.
func (i Instance) expertTime(c RooflineCoefficients) expertTime {
	m := i.Model.MoE
	if m == nil {
		return expertTime{}
	}
	imbalance, layers := i.imbalance(c), float64(i.Model.moeLayers())
	expertFlops := 2 * float64(i.Model.expertParameters()) / i.gpus()
	flopNs := expertFlops / (i.expertFlopsPerSecond() * c.PrefillEfficiency * c.ExpertEfficiency / 1e9)
	readNs := i.expertBytes() / (i.Accelerator.MemoryBandwidthBytesPerSecond * c.ExpertMemoryEfficiency / 1e9)
	e := expertTime{
		floor:    float64(layers * float64(c.DispatchLatency)),
		dispatch: float64(layers * float64(c.DispatchTokenOverhead)),
		multiply: float64(m.ExpertsPerToken) * imbalance * flopNs,
	}
	idle := idleTileTokens(i.expertQuantization().Weights)
	for _, touched := range touchedExperts(m.Experts, m.ExpertsPerToken) {
		busy := min(float64(touched*imbalance), float64(m.Experts))
		e.touched = append(e.touched, touchedTime{float64(busy * readNs), float64(busy*idle) * flopNs})
	}
	return e
}

// imbalance returns the busiest GPU's work for experts over the mean; it has no
// more than all of it.
func (i Instance) imbalance(c RooflineCoefficients) float64 { return min(c.ExpertImbalance, i.gpus()) }

func (e *expertTime) of(tokens int64) float64 {
	if len(e.touched) == 0 {
		return 0
	}
	t, n := &e.touched[min(tokens, int64(len(e.touched)-1))], float64(tokens)
	return e.floor + float64(n*e.dispatch) + max(t.read, t.tiles+float64(n*e.multiply))
}

// What fused kernels of experts achieve by the format of the weights: an H100 with vLLM
// 0.24 multiplies at 0.38 of its BF16 peak (BF16, Triton), at 0.22 of that of FP8 (blocks of
// 128, Triton), and at 0.2 of that of BF16 (4 bits, unpacked by Marlin). Each expert that
// is touched leaves half of a tile of 64 or 32 tokens empty. The memory gives 0.83 to 0.97
// of its bandwidth, and a layer takes 37 to 56 µs more. Fitted to 4,752 points with experts
// cut over GPUs of ai-dynamo/aiconfigurator, commit 095f58a; mean errors are 10 to 17 %.

// expertShare returns the share of the MFU of other matrices, which is about 0.5.
func expertShare(weights Precision) float64 {
	switch weights {
	case FP8, INT8:
		return 0.43
	case INT4, INT4Group32, NVFP4, MXFP4:
		return 0.4
	}
	return 0.76
}

func idleTileTokens(weights Precision) float64 {
	switch weights {
	case INT4, INT4Group32, NVFP4, MXFP4:
		return 16
	}
	return 32
}

const (
	defaultExpertMemoryEfficiency = 0.95
	defaultExpertFloor            = 40 * time.Microsecond
)
